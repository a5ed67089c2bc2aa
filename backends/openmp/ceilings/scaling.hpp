#pragma once
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// Numbers of cores a scaling curve has: 1, 2, 3, 4, then about four in every doubling, and all of them.
std::vector<int> core_counts(int cores);

/// fp64 vector flop/s (burst) and main-memory bandwidth (triad, ordinary stores) against the number of cores, in
/// topology order. Full mode, scopes of more than one core. Bandwidth uses 4 x the caches that so many cores reach.
std::vector<Item> core_scaling(const SharedSetup& setup);

}  // namespace gable::openmp
