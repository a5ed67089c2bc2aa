#pragma once
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// Latency of every memory level in s: one thread, on the first cpu, follows a random cycle of cache lines in huge
/// pages where the system gives them. Working sets are those of one thread: half of a level, 4 x all caches for main
/// memory. Address translation is part of it where the working set exceeds what the TLB reaches.
std::vector<Item> latency_ceilings(const SharedSetup& setup);

}  // namespace gable::openmp
