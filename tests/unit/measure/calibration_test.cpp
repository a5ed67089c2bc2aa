#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/error.hpp"
#include "core/measure/sampler.hpp"
#include "simulated_device.hpp"

namespace gable::measure {
namespace {

using testing::Call;
using testing::FakeClock;
using testing::SimulatedBenchmark;

Call steady(double iteration_s, std::uint64_t iterations) {
  return {.duration_s = iteration_s * static_cast<double>(iterations)};
}

TEST(calibration, makes_batches_long_enough_for_the_policy) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int, std::uint64_t n) { return steady(1e-7, n); });
  const Estimate estimate = measure(benchmark, {.per_iteration = 50}, {.batch_s = 5e-3}, clock);
  EXPECT_NEAR(estimate.value, 5e8, 5e8 * 1e-5);
  EXPECT_EQ(benchmark.last_iterations, 65536u);  // least power of two of at least 50000
}

class CoarseClock : public ::testing::TestWithParam<double> {};

TEST_P(CoarseClock, gives_correct_rates_and_times) {
  const double iteration_s = 123.4e-9;
  FakeClock clock(GetParam());
  SimulatedBenchmark benchmark(clock, [&](int, std::uint64_t n) { return steady(iteration_s, n); });
  const Policy policy{.batch_s = 1e-5, .time_limit_s = 1e3};
  const Estimate rate = measure(benchmark, {.per_iteration = 8}, policy, clock);
  EXPECT_NEAR(rate.value, 8 / iteration_s, 2e-3 * 8 / iteration_s);
  EXPECT_GE(static_cast<double>(benchmark.last_iterations) * iteration_s, 999 * GetParam());
  const Estimate time = measure(benchmark, {.rate = false}, policy, clock);
  EXPECT_NEAR(time.value, iteration_s, 2e-3 * iteration_s);
}

INSTANTIATE_TEST_SUITE_P(steps, CoarseClock, ::testing::Values(1e-9, 1e-6, 1e-3));

TEST(calibration, neither_the_first_call_nor_its_own_runs_are_samples) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int call, std::uint64_t n) {
    Call cost = steady(1e-3, n);
    if (call == 0) cost.duration_s += 2.0;                          // compiles, allocates
    if (call < testing::calibration_calls) cost.duration_s += 0.5;  // still warming up
    return cost;
  });
  const Estimate estimate = measure(benchmark, {.rate = false}, {.batch_s = 1e-3}, clock);
  ASSERT_EQ(estimate.blocks, 8);
  for (const double sample : estimate.samples) EXPECT_NEAR(sample, 1e-3, 1e-7);
}

TEST(calibration, is_not_fooled_by_one_interruption) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int call, std::uint64_t n) {
    Call cost = steady(1e-6, n);
    if (call == 1) cost.duration_s += 0.010;
    return cost;
  });
  measure(benchmark, {}, {.batch_s = 2e-3}, clock);
  EXPECT_GE(benchmark.last_iterations, 2000u);
}

TEST(calibration, spends_the_time_limit_too) {
  FakeClock clock;
  SimulatedBenchmark hangs(clock, [](int, std::uint64_t) { return Call{.duration_s = 60}; });
  try {
    measure(hangs, {}, {.time_limit_s = 10}, clock);
    FAIL() << "no block can have been taken";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("time limit of 10 s"), std::string::npos) << error.what();
  }
  EXPECT_EQ(hangs.calls, 1);
}

TEST(benchmark_times, that_are_no_times_are_refused) {
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    struct Bad final : Benchmark {
      double time_s{};
      Sample run(std::uint64_t) override { return {.time_s = time_s}; }
    } benchmark;
    benchmark.time_s = bad;
    FakeClock clock;
    EXPECT_THROW(measure(benchmark, {}, {}, clock), std::runtime_error) << bad;
  }
}

TEST(benchmark_times, of_zero_are_refused_once_calibrated_and_when_they_never_grow) {
  FakeClock clock;
  SimulatedBenchmark later(clock, [](int call, std::uint64_t) { return Call{.duration_s = call < 5 ? 1.0 : 0.0}; });
  EXPECT_THROW(measure(later, {}, {}, clock), std::runtime_error);
  EXPECT_EQ(later.calls, 6);
  SimulatedBenchmark never(clock, [](int, std::uint64_t) { return Call{}; });
  EXPECT_THROW(measure(never, {}, {}, clock), std::runtime_error);
}

TEST(policy, that_makes_no_sense_is_refused_before_anything_runs) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int, std::uint64_t n) { return steady(1, n); });
  EXPECT_THROW(measure(benchmark, {.per_iteration = 0}, {}, clock), Error);
  EXPECT_THROW(measure(benchmark, {}, {.batch_s = 0}, clock), Error);
  EXPECT_THROW(measure(benchmark, {}, {.batches_per_block = 0}, clock), Error);
  EXPECT_THROW(measure(benchmark, {}, {.blocks = 0}, clock), Error);
  EXPECT_THROW(measure(benchmark, {}, {.gap_s = -1}, clock), Error);
  EXPECT_THROW(measure(benchmark, {}, {.time_limit_s = 0}, clock), Error);
  EXPECT_EQ(benchmark.calls, 0);
}

}  // namespace
}  // namespace gable::measure
