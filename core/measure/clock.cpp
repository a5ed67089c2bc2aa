#include "core/measure/clock.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

namespace gable::measure {
namespace {

class SteadyClock final : public Clock {
 public:
  double now() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double resolution() const override { return resolution_; }
  void sleep(double seconds) override {
    if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
  double waited_s() override {
    std::ifstream file("/proc/thread-self/schedstat");
    double ran_ns{}, waited_ns{};
    return file >> ran_ns >> waited_ns ? 1e-9 * waited_ns : 0;
  }

 private:
  /// The smallest step seen between two readings that differ; it includes the cost of one reading.
  static double smallest_step() {
    auto smallest = std::chrono::steady_clock::duration::max();
    for (int step = 0; step < 100; ++step) {
      const auto before = std::chrono::steady_clock::now();
      auto after = before;
      while (after == before) after = std::chrono::steady_clock::now();
      smallest = std::min(smallest, after - before);
    }
    return std::chrono::duration<double>(smallest).count();
  }

  double resolution_{smallest_step()};
};

}  // namespace

Clock& steady_clock() {
  static SteadyClock clock;
  return clock;
}

}  // namespace gable::measure
