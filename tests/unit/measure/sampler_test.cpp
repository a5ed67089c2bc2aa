#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include "core/error.hpp"
#include "core/measure/rounds.hpp"
#include "core/measure/sampler.hpp"
#include "core/measure/statistics.hpp"
#include "simulated_device.hpp"

namespace gable::measure {
namespace {

using namespace testing;

/// One iteration is one batch; times are s per iteration.
constexpr WorkPerIteration seconds{.rate = false};

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
  EXPECT_EQ(benchmark.calls, sizing_calls + 8 * 3);
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
    return Call{call >= sizing_calls && call % 3 == 1 ? 9e-2 : 1e-2};  // one batch of three is interrupted
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
  const int good = sizing_calls + 3 * 3;
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

Call steady(double iteration_s, std::uint64_t iterations) {
  return {.duration_s = iteration_s * static_cast<double>(iterations)};
}

TEST(batch_sizing, makes_batches_long_enough_for_the_policy) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int, std::uint64_t n) { return steady(1e-7, n); });
  const Estimate estimate = measure(benchmark, {.per_iteration = 50}, {.batch_s = 5e-3}, clock);
  EXPECT_NEAR(estimate.value, 5e8, 5e8 * 1e-5);
  EXPECT_GE(benchmark.last_iterations, 50000u);
  EXPECT_LE(benchmark.last_iterations, 100000u);
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

TEST(batch_sizing, neither_the_first_call_nor_its_own_runs_are_samples) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int call, std::uint64_t n) {
    Call cost = steady(1e-3, n);
    if (call == 0) cost.duration_s += 2.0;  // compiles, allocates
    if (call == 1) cost.duration_s += 0.5;  // still warming up
    return cost;
  });
  const Estimate estimate = measure(benchmark, {.rate = false}, {.batch_s = 1e-3}, clock);
  ASSERT_EQ(estimate.blocks, 8);
  for (const double sample : estimate.samples) EXPECT_NEAR(sample, 1e-3, 1e-7);
}

TEST(batch_sizing, takes_a_long_iteration_for_a_sample_after_the_first_call) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock,
                               [](int call, std::uint64_t) { return Call{.duration_s = call == 0 ? 0.07 : 0.06}; });
  const Policy policy{.batch_s = 1e-3, .batches_per_block = 1, .blocks = 8, .time_limit_s = 0.1, .room = 1};
  const Estimate estimate = measure(benchmark, {.rate = false}, policy, clock);
  EXPECT_EQ(benchmark.last_iterations, 1u);
  EXPECT_EQ(estimate.samples.size(), static_cast<std::size_t>(benchmark.calls) - 1);
  EXPECT_GE(estimate.blocks, 3);
  for (const double sample : estimate.samples) EXPECT_NEAR(sample, 0.06, 1e-6);
}

TEST(batch_sizing, warms_up_a_long_iteration_before_its_first_sample) {
  FakeClock clock;
  SimulatedBenchmark benchmark(
      clock, [&clock](int, std::uint64_t) { return Call{.duration_s = clock.now() < 0.5 ? 0.09 : 0.06}; });
  const Policy policy{.batch_s = 1e-3, .batches_per_block = 1, .blocks = 4, .warmup_s = 0.5};
  const Estimate estimate = measure(benchmark, {.rate = false}, policy, clock);
  EXPECT_EQ(estimate.blocks, 4);
  for (const double sample : estimate.samples) EXPECT_NEAR(sample, 0.06, 1e-6);
}

TEST(batch_sizing, is_not_fooled_by_one_interruption) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int call, std::uint64_t n) {
    Call cost = steady(1e-6, n);
    if (call == 1) cost.duration_s += 0.010;
    return cost;
  });
  measure(benchmark, {}, {.batch_s = 2e-3}, clock);
  EXPECT_GE(benchmark.last_iterations, 2000u);
}

TEST(batch_sizing, does_not_count_time_that_the_threads_did_not_run) {
  // Another program has the core for 3 ms of every call until 0.1 s: longer than a batch.
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [&clock](int, std::uint64_t n) {
    Call cost = steady(1e-6, n);
    if (clock.now() < 0.1) {
      cost.preemption = (cost.duration_s + 3e-3) / cost.duration_s;
      cost.duration_s += 3e-3;
    }
    return cost;
  });
  const Estimate estimate = measure(benchmark, {}, {.batch_s = 2e-3}, clock);
  EXPECT_GE(benchmark.last_iterations, 2000u);
  EXPECT_NEAR(*std::ranges::max_element(estimate.samples), 1e6, 1e3);
}

TEST(blocks, keep_four_digits_of_what_they_are_judged_by) {
  FakeClock clock;
  SimulatedBenchmark benchmark(clock, [](int, std::uint64_t n) {
    Call cost = steady(1e-6, n);
    cost.preemption = 1.23456;
    cost.sentinel_s = 14.8349e-6;
    return cost;
  });
  const Estimate estimate = measure(benchmark, {}, {.batch_s = 2e-3, .blocks = 3}, clock);
  EXPECT_EQ(estimate.preemption, (std::vector<double>(3, 1.235)));
  EXPECT_EQ(estimate.sentinel_s, (std::vector<double>(3, 1.483e-5)));
  EXPECT_TRUE(estimate.throughput_s.empty()) << "nothing measured it";
}

/// Shares of its batches in which a thread waits for others, and for the end of a quota's period.
Estimate beside_others(double waiting, double throttled, double sentinel_s) {
  struct Shared final : Benchmark {
    TimedBatch run(std::uint64_t) override {
      clock.pass(1e-2);
      clock.waited += 1e-2 * (waiting + throttled);
      return {.time_s = 1e-2, .sentinel_s = sentinel_s, .throttled_s = 1e-2 * throttled};
    }
    FakeClock clock;
    double waiting{}, throttled{}, sentinel_s{};
  } shared;
  shared.waiting = waiting;
  shared.throttled = throttled;
  shared.sentinel_s = sentinel_s;
  Policy policy;
  policy.gap_s = 1e-2;
  return measure(shared, seconds, policy, shared.clock);
}

TEST(blocks, of_a_round_in_which_others_had_the_processor_are_those_of_a_row_held_back) {
  const Estimate held = beside_others(0.5, 0, 1e-5);
  EXPECT_NEAR(held.seen.waiting_share, 0.5, 1e-3) << "of the time without the gaps";
  EXPECT_EQ(held.seen.disturbed_blocks, 0) << "all batches agree and none was interrupted";
  EXPECT_TRUE(was_held_back(held));
  EXPECT_TRUE(wants_another_round(held, 10.0));
  EXPECT_NE(held_back_words(held).find("50 % of its time"), std::string::npos) << held_back_words(held);
  EXPECT_FALSE(was_held_back(beside_others(0.2, 0, 1e-5))) << "as beside short bursts";
  EXPECT_EQ(beside_others(0, 0.5, 1e-5).seen.waiting_share, 0) << "a quota leaves the caches alone";
  EXPECT_EQ(beside_others(0.5, 0, 0).seen.waiting_share, 0) << "a GPU does not wait for a processor";
}

TEST(batch_sizing, needs_few_runs_of_short_iterations) {
  FakeClock clock;
  SimulatedBenchmark benchmark(
      clock, [](int, std::uint64_t n) { return Call{.duration_s = 1e-6 + 1e-8 * static_cast<double>(n)}; });
  measure(benchmark, {}, {.batch_s = 2e-3, .batches_per_block = 1, .blocks = 1}, clock);
  EXPECT_GE(benchmark.last_iterations, 199'900u);
  EXPECT_LE(benchmark.calls, 10) << "with the block's: one of 1 iteration, five to 200,000, two that are long enough";
}

TEST(batch_sizing, spends_the_time_limit_too) {
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
      TimedBatch run(std::uint64_t) override { return {.time_s = time_s}; }
    } benchmark;
    benchmark.time_s = bad;
    FakeClock clock;
    EXPECT_THROW(measure(benchmark, {}, {}, clock), std::runtime_error) << bad;
  }
}

TEST(benchmark_times, of_zero_are_refused_once_the_batch_is_sized_and_when_they_never_grow) {
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
