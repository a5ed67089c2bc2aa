#pragma once
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "core/measure/sampler.hpp"

namespace gable::openmp {

/// What one run of the sentinel took on the calling thread, s. It is two fixed pieces of work, some 7 us each: a chain
/// of dependent integer operations, which feels what stops the thread or slows its clock, and independent vector
/// multiplications and additions of operands in L1, which also feel what takes throughput: a neighbour on the other
/// hardware thread of the core. Each is timed in five parts, and the slowest part counts as the mean of the others.
struct Sentinel {
  double chain_s{};
  double throughput_s{};
};

/// Runs it. A short run of the independent piece comes first, untimed: its 4 KiB of operands and its code are then
/// where they should be, whatever the work before left in the caches.
Sentinel run_sentinel();

/// One thread's, directly before and after a batch.
struct SentinelPair {
  Sentinel before, after;
};

/// Writes what the threads' sentinels took into the batch.
///  sentinel_s: the slowest thread's chains, both together.
///  throughput_s: sentinel_s times the greatest throughput_s / chain_s of all threads, each thread's the mean of before
///  and after. It is made so that throughput_s / sentinel_s is a ratio that one thread saw. The two times themselves
///  cannot come from one thread: that of the slowest chain may have its core for itself while a fast one shares its
///  core, and the clocks of two threads may differ. Of several threads the greatest counts, because all wait for the
///  one that is disturbed.
/// Nothing is written without a thread.
void describe(std::span<const SentinelPair> threads, measure::TimedBatch& batch);

/// The sentinel on several cpus at once, before and after work whose threads are not known: OpenMP's, Kokkos', or a
/// library's own. One thread a cpu, which sleeps in the kernel between runs; the first cpu is the caller's. OpenMP's
/// own threads are not used: after a region they spin for milliseconds, and would halve the speed of a library's
/// threads on the same cpus.
class SentinelThreads {
 public:
  /// Starts and pins the threads. Throws Error when a cpu may not be used.
  explicit SentinelThreads(const std::vector<int>& cpus);
  ~SentinelThreads();
  SentinelThreads(const SentinelThreads&) = delete;
  SentinelThreads& operator=(const SentinelThreads&) = delete;

  /// Runs the sentinel on all cpus at once; returns when all have ended. One a cpu; valid until the next call.
  const std::vector<Sentinel>& run();

 private:
  void serve(std::size_t rank, int cpu);
  void ask();   ///< tells the threads to run once
  void wait();  ///< until all threads have ended their run
  void stop();

  std::vector<Sentinel> latest_;
  // A condition variable sleeps at once. An atomic's wait() gives way in a loop first: beside a thread of OpenMP that
  // spins on the same cpu, each time it gives way takes a time slice, and the switches fall into the work timed next.
  std::mutex mutex_;
  std::condition_variable asked_anew_, all_ended_;
  unsigned asked_{0};       ///< runs; one more tells the threads to run
  std::size_t running_{0};  ///< threads that have not ended the run
  bool ending_{false};
  int refused_{-1};  ///< a cpu that a thread could not be pinned to
  std::vector<std::thread> threads_;
};

}  // namespace gable::openmp
