#pragma once
#include "backends/gpu/device_facts.hpp"

namespace gable::gpu {

/// What this worker was built for.
BuiltFor built_for();
/// The devices of this process. Each vendor has its own. Throws nothing: what fails is in Inventory::error. Makes a
/// context on each device only to ask for its free memory.
Inventory query_devices();

}  // namespace gable::gpu
