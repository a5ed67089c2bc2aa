#pragma once
#include <atomic>
#include <thread>
#include <vector>

#include "backends/openmp/sentinel.hpp"

namespace gable::openmp {

/// The sentinel on several cpus at once beside work of which nobody knows whose threads do it: OpenMP's, Kokkos', or a
/// library's own. One thread a cpu, which sleeps in the kernel otherwise; the first cpu is the caller's. OpenMP's own
/// threads would not do: after a region they spin for milliseconds and would take a library's threads, which are pinned
/// to the same cpus, half of their time.
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
  void wake();
  void wait();  ///< until all threads have ended their run
  void stop();

  std::vector<Sentinel> latest_;
  std::atomic<unsigned> asked_{0};    ///< runs; one more tells the threads to run
  std::atomic<unsigned> running_{0};  ///< threads that have not ended the run
  std::atomic<bool> ending_{false};
  std::atomic<int> refused_{-1};  ///< a cpu that a thread could not be pinned to
  std::vector<std::thread> threads_;
};

}  // namespace gable::openmp
