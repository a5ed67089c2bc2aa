#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "core/measure/sampler.hpp"
#include "core/measure/statistics.hpp"
#include "simulated_device.hpp"

namespace gable::measure {
namespace {

using namespace testing;

/// A device of 1e-2 s an iteration with 0.1 % noise, to which a function of the block number adds interference.
template <class Interfere>
Estimate ceiling(Interfere interfere, Policy policy = {.blocks = 16, .ceiling = true},
                 WorkPerIteration work = {.per_iteration = 1e9}) {
  FakeClock clock;
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(1, 1e-3);
  SimulatedBenchmark benchmark(clock, [&](int call, std::uint64_t n) {
    Call cost{.duration_s = 1e-2 * static_cast<double>(n) * noise(random), .sentinel_s = 1e-4 * noise(random)};
    if (call >= sizing_calls) interfere((call - sizing_calls) / policy.batches_per_block, cost);
    return cost;
  });
  return measure(benchmark, work, policy, clock);
}

bool third(int block) { return block % 3 == 1; }

TEST(ceiling, undisturbed_is_the_median) {
  const Estimate estimate = ceiling([](int, Call&) {});
  EXPECT_EQ(estimate.estimator, Estimator::median);
  EXPECT_EQ(estimate.value, estimate.median);
  EXPECT_EQ(estimate.ci_low, estimate.median_ci_low);
  EXPECT_EQ(estimate.seen.disturbed_blocks, 0);
  EXPECT_NEAR(estimate.value, 1e11, 1e9);
}

TEST(ceiling, rests_on_the_blocks_without_context_switches) {
  const Estimate estimate = ceiling([](int block, Call& cost) {
    if (!third(block)) return;
    cost.duration_s *= 1.4;
    cost.involuntary_switches = 2;
  });
  EXPECT_EQ(estimate.estimator, Estimator::undisturbed);
  EXPECT_EQ(estimate.disturbed_samples, (std::vector<int>{1, 4, 7, 10, 13}));
  EXPECT_EQ(estimate.used_blocks, 11);
  EXPECT_EQ(estimate.seen.disturbed_blocks, 5);
  EXPECT_DOUBLE_EQ(estimate.seen.involuntary_switches, 2.0 * 5 / 16);
  EXPECT_NEAR(estimate.value, 1e11, 1e8);
  EXPECT_LT(estimate.median, estimate.value);
  EXPECT_EQ(estimate.median, median(estimate.samples));
  ASSERT_TRUE(estimate.median_ci_low);
  EXPECT_LT(*estimate.median_ci_low, 0.8e11);
}

TEST(ceiling, rests_on_the_blocks_with_an_undisturbed_sentinel) {
  const Estimate estimate = ceiling([](int block, Call& cost) {
    if (!third(block)) return;
    cost.duration_s *= 1.4;
    cost.sentinel_s *= 1.2;
  });
  EXPECT_EQ(estimate.estimator, Estimator::undisturbed);
  EXPECT_NEAR(estimate.value, 1e11, 1e8);
  EXPECT_NEAR(estimate.seen.sentinel_slowdown, 1.0, 5e-3);
}

TEST(ceiling, rests_on_the_blocks_from_which_nothing_was_stolen) {
  const Estimate estimate = ceiling([](int block, Call& cost) {
    cost.stolen_s = third(block) ? 0.01 : 0.0;
    if (third(block)) cost.duration_s *= 1.4;
  });
  EXPECT_EQ(estimate.estimator, Estimator::undisturbed);
  EXPECT_NEAR(estimate.value, 1e11, 1e8);
  ASSERT_TRUE(estimate.seen.stolen_s);
  EXPECT_NEAR(*estimate.seen.stolen_s, 0.01 * 3 * estimate.seen.disturbed_blocks, 1e-12);  // in each of three batches
}

TEST(ceiling, of_times_takes_the_lower_side) {
  const Estimate estimate = ceiling(
      [](int block, Call& cost) {
        if (third(block)) cost.duration_s *= 1.2 + 0.1 * (block % 7);
      },
      {.blocks = 16, .ceiling = true}, {.rate = false});
  EXPECT_EQ(estimate.estimator, Estimator::mode);
  EXPECT_NEAR(estimate.value, 1e-2, 1e-4);
}

TEST(ceiling, disturbed_unseen_is_the_mode_of_all_blocks) {
  const auto unseen = [](int block, Call& cost) {
    if (third(block)) cost.duration_s *= 1.2 + 0.1 * (block % 7);
  };
  const Estimate estimate = ceiling(unseen);
  EXPECT_EQ(estimate.estimator, Estimator::mode);
  EXPECT_EQ(estimate.used_blocks, estimate.blocks);
  EXPECT_EQ(estimate.seen.disturbed_blocks, 0);
  EXPECT_EQ(estimate.value, half_sample_mode(estimate.samples));
  EXPECT_NEAR(estimate.value, 1e11, 1e9);
  ASSERT_TRUE(estimate.ci_low && estimate.ci_high);
  EXPECT_LE(*estimate.ci_low, estimate.value);
  EXPECT_GE(*estimate.ci_high, estimate.value);
  EXPECT_EQ(ceiling(unseen).ci_low, estimate.ci_low);  // the bootstrap is seeded
}

TEST(ceiling, the_covariate_must_not_pick_fast_blocks) {
  // Switches that happen to fall on the fast blocks: they are left out all the same.
  const Estimate estimate = ceiling([](int block, Call& cost) {
    if (block % 4 != 0) return;
    cost.duration_s *= 0.9;
    cost.involuntary_switches = 1;
  });
  EXPECT_EQ(estimate.estimator, Estimator::undisturbed);
  EXPECT_NEAR(estimate.value, 1e11, 1e8);
  EXPECT_LT(*estimate.ci_high, 1.05e11);
}

TEST(ceiling, rests_on_all_blocks_where_all_are_disturbed) {
  const Estimate estimate = ceiling([](int, Call& cost) { cost.involuntary_switches = 1; });
  EXPECT_EQ(estimate.estimator, Estimator::median);
  EXPECT_EQ(estimate.used_blocks, estimate.blocks);
  EXPECT_EQ(estimate.seen.disturbed_blocks, 16);
}

TEST(ceiling, an_operator_rests_on_undisturbed_blocks_too_but_is_never_a_mode) {
  const auto slowed = [](bool seen) {
    return [seen](int block, Call& cost) {
      if (!third(block)) return;
      cost.duration_s *= 1.4;
      cost.involuntary_switches = seen ? 1 : 0;
    };
  };
  const Estimate estimate = ceiling(slowed(true), {.blocks = 16});
  EXPECT_EQ(estimate.estimator, Estimator::undisturbed);
  EXPECT_NEAR(estimate.value, 1e11, 1e8);
  EXPECT_EQ(estimate.used_blocks, 11);
  const Estimate unseen = ceiling(slowed(false), {.blocks = 16});
  EXPECT_EQ(unseen.estimator, Estimator::median);
  EXPECT_EQ(unseen.value, median(unseen.samples));
}

}  // namespace
}  // namespace gable::measure
