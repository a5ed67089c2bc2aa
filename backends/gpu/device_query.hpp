#pragma once
#include "backends/gpu/device_facts.hpp"

namespace gable::gpu {

/// What this worker was built for.
BuiltFor built_for();
/// The devices of this process. Each vendor has its own. Throws nothing: what fails is in Inventory::error. Makes no
/// context, so that a device nobody opens is left as it is.
Inventory query_devices();

}  // namespace gable::gpu
