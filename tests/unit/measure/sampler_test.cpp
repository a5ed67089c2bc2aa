#include "core/measure/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "core/measure/statistics.hpp"
#include "simulated_device.hpp"

namespace gable::measure {
namespace {

using testing::calibration_calls;
using testing::Call;
using testing::FakeClock;
using testing::SimulatedBenchmark;

/// One iteration is one batch; times are s per iteration.
constexpr Quantity seconds{.rate = false};

TEST(sampling, takes_the_blocks_of_a_round) {
  FakeClock clock;
  // Neighbouring blocks do not resemble each other: 3, 6, 1, 4, 7, 2, 5, 0 and again.
  SimulatedBenchmark benchmark(clock,
                               [&](int call, std::uint64_t) { return Call{1e-2 + 1e-5 * ((3 + 3 * (call / 3)) % 8)}; });
  const Estimate estimate = measure(benchmark, seconds, {}, clock);
  EXPECT_EQ(estimate.stop, StopReason::last_look);
  EXPECT_EQ(estimate.blocks, 8);
  EXPECT_EQ(estimate.used_blocks, 8);
  EXPECT_EQ(estimate.samples.size(), 8u);
  EXPECT_EQ(estimate.taken.size(), 8u);
  EXPECT_EQ(benchmark.calls, calibration_calls + 8 * 3);
  EXPECT_EQ(estimate.estimator, Estimator::median);
  EXPECT_EQ(estimate.value, median(estimate.samples));
  EXPECT_EQ(estimate.median, estimate.value);
  ASSERT_TRUE(estimate.ci_low && estimate.ci_high);
  EXPECT_EQ(estimate.median_ci_low, estimate.ci_low);
  EXPECT_LE(*estimate.ci_low, estimate.value);
  EXPECT_LE((*estimate.ci_high - *estimate.ci_low) / 2, 0.01 * estimate.value);
}

TEST(sampling, keeps_blocks_in_the_order_taken_so_that_drift_shows) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int call, std::uint64_t) { return Call{1e-2 * (1 + 0.01 * call)}; });
  const Estimate estimate = measure(benchmark, seconds, {.blocks = 32}, clock);
  EXPECT_TRUE(std::is_sorted(estimate.samples.begin(), estimate.samples.end()));
  EXPECT_GT(*estimate.ci_high - *estimate.ci_low, 0.1 * estimate.value);
}

TEST(sampling, of_two_equal_humps_has_both_in_its_interval) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int call, std::uint64_t) { return Call{call / 3 % 2 == 0 ? 1e-2 : 2e-2}; });
  const Estimate estimate = measure(benchmark, seconds, {.blocks = 32}, clock);
  EXPECT_NEAR(*estimate.ci_low, 1e-2, 1e-7);
  EXPECT_NEAR(*estimate.ci_high, 2e-2, 1e-7);
}

TEST(sampling, a_block_is_the_median_of_its_batches) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int call, std::uint64_t) {
    return Call{call >= calibration_calls && call % 3 == 1 ? 9e-2 : 1e-2};  // one batch of three is interrupted
  });
  const Estimate estimate = measure(benchmark, seconds, {}, clock);
  for (const double sample : estimate.samples) EXPECT_NEAR(sample, 1e-2, 1e-7);
}

TEST(sampling, of_fewer_than_six_blocks_gives_no_interval) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int, std::uint64_t) { return Call{1e-2}; });
  for (const bool ceiling : {false, true}) {
    const Estimate five = measure(benchmark, seconds, {.blocks = 5, .ceiling = ceiling}, clock);
    EXPECT_EQ(five.blocks, 5);
    EXPECT_FALSE(five.ci_low || five.ci_high || five.median_ci_low || five.median_ci_high);
    EXPECT_EQ(five.stop, StopReason::last_look);
    const Estimate six = measure(benchmark, seconds, {.blocks = 6, .ceiling = ceiling}, clock);
    EXPECT_TRUE(six.ci_low && six.ci_high && six.median_ci_low && six.median_ci_high);
  }
}

TEST(time_limit, ends_sampling_with_what_there_is) {
  FakeClock clock;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(0.1, 0.3);
  SimulatedBenchmark benchmark(clock, [&](int, std::uint64_t) { return Call{noise(random)}; });
  const double begin = clock.time_s();
  const Estimate estimate = measure(benchmark, seconds, {.blocks = 32, .time_limit_s = 8}, clock);
  EXPECT_EQ(estimate.stop, StopReason::time_limit);
  EXPECT_GT(estimate.blocks, 8);
  EXPECT_LT(estimate.blocks, 16);
  EXPECT_TRUE(estimate.ci_low);
  EXPECT_LE(clock.time_s() - begin, 8 + 0.3);  // at most the batch under way
}

TEST(time_limit, ends_a_block_that_hangs_after_its_batch) {
  FakeClock clock;
  const int good = calibration_calls + 3 * 3;
  SimulatedBenchmark benchmark(clock, [&](int call, std::uint64_t) { return Call{call < good ? 1e-2 : 100.0}; });
  const Estimate estimate = measure(benchmark, seconds, {}, clock);
  EXPECT_EQ(estimate.stop, StopReason::time_limit);
  EXPECT_EQ(benchmark.calls, good + 1);
  EXPECT_EQ(estimate.blocks, 4);
  EXPECT_NEAR(estimate.samples.back(), 100, 1e-6);
  EXPECT_NEAR(estimate.value, 1e-2, 1e-7);
  EXPECT_FALSE(estimate.ci_low);
}

TEST(gap, idles_before_every_block_and_leaves_the_ramp_out) {
  FakeClock clock;
  std::size_t sleeps_seen = 0;
  SimulatedBenchmark benchmark(clock, [&](int, std::uint64_t) {
    const bool clock_is_down = clock.sleeps.size() != sleeps_seen;
    sleeps_seen = clock.sleeps.size();
    return Call{clock_is_down ? 5e-2 : 1e-2};
  });
  const Estimate estimate = measure(benchmark, seconds, {.gap_s = 0.05}, clock);
  EXPECT_EQ(clock.sleeps, std::vector<double>(8, 0.05));
  for (const double sample : estimate.samples) EXPECT_NEAR(sample, 1e-2, 1e-7);
}

TEST(gap, counts_towards_the_time_limit) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int, std::uint64_t) { return Call{1e-2}; });
  const double begin = clock.time_s();
  const Estimate estimate = measure(benchmark, seconds, {.gap_s = 0.9, .time_limit_s = 5}, clock);
  EXPECT_EQ(estimate.stop, StopReason::time_limit);
  EXPECT_EQ(estimate.blocks, 5);
  EXPECT_LE(clock.time_s() - begin, 5);
}

TEST(warmup, reaches_the_steady_state_before_the_first_block) {
  FakeClock clock;
  const double begin = clock.time_s();
  // Full clock for one second of work, then the power limit.
  SimulatedBenchmark benchmark(clock,
                               [&](int, std::uint64_t) { return Call{clock.time_s() - begin < 1 ? 1e-2 : 2e-2}; });
  const Estimate sustained = measure(benchmark, seconds, {.warmup_s = 1.5}, clock);
  for (const double sample : sustained.samples) EXPECT_NEAR(sample, 2e-2, 1e-7);
}

}  // namespace
}  // namespace gable::measure
