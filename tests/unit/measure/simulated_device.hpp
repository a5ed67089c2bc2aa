#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/measure/clock.hpp"
#include "core/measure/sampler.hpp"

namespace gable::measure::testing {

/// Time that passes only when something says so, shown in whole steps.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(double step_s = 1e-9) : step_s_(step_s) {}
  double now() override { return std::floor(time_s_ / step_s_) * step_s_; }
  double resolution() const override { return step_s_; }
  void sleep(double seconds) override {
    sleeps.push_back(seconds);
    time_s_ += seconds;
  }
  double waited_s() override { return waited; }
  void pass(double seconds) { time_s_ += seconds; }
  double time_s() const { return time_s_; }

  std::vector<double> sleeps;
  double waited{};

 private:
  double step_s_;
  double time_s_{0.3};  // not on a step
};

/// What one call of a simulated benchmark costs: true duration, and what the covariates show.
struct Call {
  double duration_s{};
  double involuntary_switches{};
  double sentinel_s{};
  std::optional<double> stolen_s{};
  double throughput_s{};
  double preemption{1.0};
};

/// A benchmark whose calls cost what a function of (call number from 0, iterations) says, timed by the fake clock.
class SimulatedBenchmark final : public Benchmark {
 public:
  SimulatedBenchmark(FakeClock& clock, std::function<Call(int, std::uint64_t)> cost)
      : clock_(clock), cost_(std::move(cost)) {}

  TimedBatch run(std::uint64_t iterations) override {
    const Call call = cost_(calls, iterations);
    ++calls;
    last_iterations = iterations;
    const double begin = clock_.now();
    clock_.pass(call.duration_s);
    return {.time_s = clock_.now() - begin,
            .involuntary_switches = call.involuntary_switches,
            .sentinel_s = call.sentinel_s,
            .throughput_s = call.throughput_s,
            .preemption = call.preemption,
            .stolen_s = call.stolen_s,
            .clock_hz = {}};
  }

  int calls{};
  std::uint64_t last_iterations{};

 private:
  FakeClock& clock_;
  std::function<Call(int, std::uint64_t)> cost_;
};

/// Calls that batch sizing makes when one iteration is long enough: the first one, and two that agree.
inline constexpr int sizing_calls = 3;
/// The same when one iteration takes many batches' time: the first one; the second is a sample.
inline constexpr int long_sizing_calls = 1;

}  // namespace gable::measure::testing
