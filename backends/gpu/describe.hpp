#pragma once
#include "backends/gpu/device_facts.hpp"
#include "core/device/catalogue.hpp"
#include "core/device/device_info.hpp"

namespace gable::gpu {

/// DeviceInfo of a GPU: cores and threads are its multiprocessors; memory levels are those that keep data from one
/// launch to the next (L2, Infinity Cache, main memory); peaks are rates x multiprocessors x maximum clock, and the
/// catalogue's where no rate is known.
DeviceInfo describe(const DeviceFacts& device, const Inventory& inventory, const BuiltFor& built);

/// catalogue::product() of it; null for a slice.
const catalogue::Device* product(const DeviceFacts& device, const BuiltFor& built);

}  // namespace gable::gpu
