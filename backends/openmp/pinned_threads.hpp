#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "backends/openmp/sentinel.hpp"
#include "core/measure/held_back.hpp"
#include "core/measure/timed.hpp"

namespace gable::openmp {

/// The threads that measure: OpenMP's pool (the one that Kokkos::OpenMP runs on), thread i pinned to cpus[i]. Use
/// them from the thread that made them, outside parallel regions, one region at a time. Several sets may exist; each
/// region pins its threads again where another set moved them.
class PinnedThreads {
 public:
  /// Starts and pins the threads. Throws Error naming the variable when OpenMP gives fewer threads than asked
  /// (OMP_THREAD_LIMIT, OMP_MAX_ACTIVE_LEVELS …) or when a cpu may not be used.
  explicit PinnedThreads(std::vector<int> cpus);
  /// Gives the calling thread its former cpus back.
  ~PinnedThreads();
  PinnedThreads(const PinnedThreads&) = delete;
  PinnedThreads& operator=(const PinnedThreads&) = delete;

  int size() const { return static_cast<int>(cpus_.size()); }
  const std::vector<int>& cpus() const { return cpus_; }

  /// Runs body(rank) once on every thread, started together by a spin barrier. time_s: last stop minus first start.
  /// involuntary_switches: of all threads, during the body. sentinel_s, throughput_s: of the sentinel (sentinel.hpp)
  /// that every thread runs directly before and after the body, about 30 µs together. preemption: time_s
  /// over the processor time of the thread that had most; a body must not sleep. stolen_s: from these cpus, from before
  /// the first sentinel to after the last. throttled_s: in the same time. An exception of the body is thrown again
  /// here, the one of the lowest rank. Where a thread was moved off its cpu it is pinned again and the body runs anew;
  /// throws Error if that was so three times (its cpuset changed, the cpu went offline), or if it can no longer be
  /// pinned to it.
  measure::TimedBatch timed(const std::function<void(int rank)>& body);
  /// Runs body() once on the calling thread, as measure::timed() does, for work that other threads may do;
  /// SentinelThreads, which sleep meanwhile, run the sentinel on these cpus before and after it. The calling thread
  /// must be on the first cpu, as the thread that made this object is. preemption, throttled_s, moved: of all threads
  /// of the process, whoever made them (measure::HeldWatch); threads of this pool that were moved are pinned again.
  measure::TimedBatch timed_beside(const std::function<void()>& body);
  /// Runs body(rank) once on every thread, untimed; exceptions as in timed().
  void each(const std::function<void(int rank)>& body);
  /// Pins the pool's threads again; call before others (Kokkos) run on it after a smaller set was used.
  void pin();

 private:
  struct Slot;

  void check_threads() const;
  measure::TimedBatch run_once(const std::function<void(int rank)>& body);
  bool was_moved() const;  ///< in the latest region, which else was well
  void rethrow();

  std::vector<int> cpus_;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<unsigned> arrived_{0};
  std::vector<int> former_cpus_;
  std::unique_ptr<SentinelThreads> sentinel_threads_;  ///< from the first timed_beside() on
  measure::HeldWatch watch_;
  measure::ThrottleClock throttle_;
  std::vector<SentinelPair> pairs_;  ///< of the latest timed region
};

/// CPUs that this process may run on: the affinity mask, or OpenMP's places where OMP_PROC_BIND has already bound the
/// first thread to one of them. The answer of the first call is kept, so pinning does not change it.
const std::vector<int>& usable_cpus();

}  // namespace gable::openmp
