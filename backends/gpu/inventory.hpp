#pragma once
#include "backends/gpu/device_facts.hpp"
#include "core/backend.hpp"
#include "core/device/catalogue.hpp"
#include "core/device/device_info.hpp"

namespace gable::gpu {

/// What this worker was built for.
BuiltFor built_for();
/// The devices of this process. Each vendor has its own. Throws nothing: failures are in Inventory::error. Makes no
/// context, so that devices that are not opened stay untouched.
Inventory query_devices();

/// Empty if a worker built for that architecture can use the device, else the reason why not. Machine code of sm_XY
/// runs on the same major version and no smaller a minor one; that of an architecture-specific target (90a) on exactly
/// that version (CUDA C++ Programming Guide, binary compatibility). Code of gfx942 runs on gfx942 only.
std::string refuses(const DeviceFacts& device, const BuiltFor& built);

/// The devices this worker can use, described; reason says why each of the others, or all, are left out.
Probe make_probe(const Inventory& inventory, const BuiltFor& built);

/// The facts of a described device ("cuda:1"). Throws Error if there is none with that id.
DeviceFacts find_facts(const Inventory& inventory, const BuiltFor& built, const std::string& id);

/// A slice of a GPU (Multi-Instance GPU, a compute partition other than SPX): figures of the whole device do not apply.
bool is_slice(const DeviceFacts& device);

/// DeviceInfo of a GPU: cores and threads are its multiprocessors; memory levels are those that keep data from one
/// launch to the next (L2, Infinity Cache, main memory); peaks are rates x multiprocessors x maximum clock, and the
/// catalogue's where no rate is known.
DeviceInfo describe(const DeviceFacts& device, const Inventory& inventory, const BuiltFor& built);

/// catalogue::find_product() of it; null for a slice.
const catalogue::Device* find_product(const DeviceFacts& device, const BuiltFor& built);

}  // namespace gable::gpu
