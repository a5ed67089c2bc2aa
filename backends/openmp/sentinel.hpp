#pragma once
#include <span>

#include "core/measure/sampler.hpp"

namespace gable::openmp {

/// What one run of the sentinel took on the calling thread, s. It is two fixed pieces of work, some 7 us each: a chain
/// of dependent integer operations, which feels what stops the thread or slows its clock, and independent vector
/// multiplications and additions of operands in L1, which also feel what takes throughput: a neighbour on the other
/// hardware thread of the core.
struct Sentinel {
  double chain_s{};
  double dense_s{};
};

/// Runs it. A short run of the dense piece comes first, untimed: its 4 KiB of operands and its code are then where they
/// should be, whatever the work before left in the caches.
Sentinel run_sentinel();

/// One thread's, directly before and after a batch.
struct SentinelPair {
  Sentinel before, after;
};

/// Writes what the threads' sentinels took into the sample.
///  sentinel_s: the slowest thread's chains, both together.
///  throughput_s: sentinel_s times the greatest dense_s / chain_s of all threads, each thread's the mean of before and
///  after. It is made so that throughput_s / sentinel_s is a ratio that one thread saw. The two times themselves cannot
///  come from one thread: that of the slowest chain may have its core for itself while a fast one shares its core, and
///  the clocks of two threads may differ. Of several threads the greatest counts, because all wait for the one that is
///  disturbed.
/// Nothing is written without a thread.
void describe(std::span<const SentinelPair> threads, measure::Sample& sample);

}  // namespace gable::openmp
