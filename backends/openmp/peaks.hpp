#pragma once
#include "backends/openmp/cpu_identity.hpp"
#include "backends/openmp/topology.hpp"
#include "core/device/device_info.hpp"

namespace gable::openmp {

/// Adds the theoretical peaks of the device's microarchitecture, cores and clock, those of the usable cores only, and
/// the bandwidth of the memory these cores use; a fact with the reason where a figure is not known.
void add_peaks(DeviceInfo& device, const CpuIdentity& cpu, const Topology& topology);

}  // namespace gable::openmp
