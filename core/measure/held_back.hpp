#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/text/posix_file.hpp"

namespace gable::measure {

/// Processor time of the calling thread, s; 0 where the system does not tell.
double thread_time_s();

/// How long a processor quota has stopped this process, s, by the cpu.stat files of the control groups that it is in
/// (throttled_time in ns in version 1, throttled_usec in version 2). All of them together, since they were made.
class ThrottleClock {
 public:
  /// Those that cannot be opened are left out.
  explicit ThrottleClock(const std::vector<std::string>& cpu_stat_files);
  /// 0 where no file tells. A reading takes some 2 µs a file.
  double now_s() const;

 private:
  std::vector<Descriptor> files_;
};

/// What kept threads of this process from running while work ran.
struct HeldBack {
  double waited_s{};   ///< that threads with work were not run, all threads together: they may have waited one by one
  double longest_s{};  ///< of these, that of the thread which waited longest: the work lost no less
  bool moved{};        ///< the cpus that a thread may run on are not those of before, or it has lost some of its first
  /// The work's time over that in which the thread could run which waited longest; at most 100. Others may have waited
  /// at the same time: it is the least that was lost.
  double preemption(double time_s) const;
  /// The same where threads waited one by one: the most that was lost.
  double most_preemption(double time_s) const;
};

/// Watches all threads of this process by what the kernel counts for each: the delay on the run queue, which a quota,
/// other programs and too few cpus cause alike (/proc/PID/task/TID/schedstat, second number, ns; of threads that had
/// processor time meanwhile, as others have no work), and the affinity mask. Where the whole process ran for less than
/// the time, though somebody has to work at any moment, it was stopped (SIGSTOP), or the kernel does not count delays:
/// that counts from 10 ms on, because a thread's processor time is only brought up to date at a tick. Nothing is read
/// while the work runs: begin() and end() take some 2 µs a thread each.
class HeldWatch {
 public:
  /// `root` replaces "/" in tests.
  explicit HeldWatch(std::string root = "/");
  ~HeldWatch();
  HeldWatch(const HeldWatch&) = delete;
  HeldWatch& operator=(const HeldWatch&) = delete;

  void begin();
  /// Of the work that took time_s since begin(). `waits`: all of the process may sleep meanwhile, as beside a device.
  HeldBack end(double time_s, bool waits = false);
  /// We changed the cpus that this thread (gettid()) may run on.
  void pinned(int thread);

 private:
  struct Thread;

  void find_threads();

  std::string folder_;
  std::vector<Thread> threads_;
  std::size_t links_{};  ///< of the folder of threads, which has one for each
  double ran_s_{};       ///< processor time of the process at begin()
};

}  // namespace gable::measure
