#pragma once
#include <condition_variable>
#include <mutex>
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
