#pragma once
#include <optional>
#include <string>
#include <vector>

#include "backends/openmp/cpu_identity.hpp"
#include "backends/openmp/topology.hpp"
#include "core/device/device_info.hpp"

namespace gable::openmp {

/// Settings of the operating system that figures depend on: governor, turbo, power cap, SMT, huge pages, NUMA
/// balancing, ECC, hypervisor, mitigations, cgroup limits, isolated and offline cpus, microcode. What may differ
/// between cpus is that of `cpu`. Each with its source; value "unknown" and the reason in `source` where it cannot be
/// read. `root` replaces "/" in tests.
std::vector<Fact> host_facts(int cpu, const std::string& root = "/");

/// What a result says of the cpus and the memory that a binding leaves: which, of how many, and what is shared.
std::vector<Fact> binding_facts(const Topology& topology, const std::optional<double>& quota);

/// Adds the theoretical peaks of the device's microarchitecture, cores and clock, those of the usable cores only, and
/// the bandwidth of the memory these cores use; a fact with the reason where a figure is not known.
void add_peaks(DeviceInfo& device, const CpuIdentity& cpu, const Topology& topology);

}  // namespace gable::openmp
