#pragma once
#include <vector>

#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// Latency of shared memory (LDS), L1, L2, Infinity Cache and main memory in s: one thread follows a random cycle of
/// 128-byte lines (shared memory: of words). Cycles are value x conditions.clock_hz. Address translation is part of it
/// where the working set exceeds what the TLB reaches.
std::vector<Item> latency_ceilings(const SharedSetup& setup);

}  // namespace gable::gpu
