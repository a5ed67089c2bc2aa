#pragma once
#include <vector>

#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// Links, byte/s: host to device, device to host and both at once, from pinned memory (the ceiling) and from pageable
/// memory (variant "pageable"), and from this device to each other one of the process.
std::vector<Item> link_ceilings(const SharedSetup& setup);

}  // namespace gable::gpu
