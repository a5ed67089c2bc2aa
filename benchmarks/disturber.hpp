#pragma once
#include <atomic>
#include <thread>
#include <vector>

namespace gable::bench {

/// A neighbour: one thread on each of some cpus that sleeps and works in turn, at random. Half of its bursts, of 5 to
/// 200 ms, compute, the others stream through 256 MB. It works for `share` of the time on average, and ends when it is
/// destroyed.
class Disturber {
 public:
  Disturber(const std::vector<int>& cpus, double share, unsigned seed);
  ~Disturber();
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

 private:
  std::atomic<bool> ended_{false};
  std::vector<std::thread> threads_;
};

}  // namespace gable::bench
