#pragma once
#include <vector>

#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// What starting work costs, s, with empty kernels of one block: launches behind one another, a launch and its wait, a
/// node of a replayed graph.
std::vector<Item> launch_overheads(const SharedSetup& setup);

}  // namespace gable::gpu
