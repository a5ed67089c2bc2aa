// Coverage by simulation, through measure() as users call it. Figures of these runs are in docs/statistics.md.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "coverage.hpp"

namespace gable::measure {
namespace {

using namespace testing;

Policy operator_policy() { return {.blocks = 5, .time_limit_s = 1e6}; }
Policy ceiling_policy() { return {.blocks = 8, .time_limit_s = 1e6, .ceiling = true}; }

double normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }
double uniform(std::mt19937_64& random) { return std::uniform_real_distribution<double>()(random); }

TEST(coverage, of_independent_normal_samples) {
  const Tally tally = simulate(3000, operator_policy(), [] {
    return [](int, std::mt19937_64& random) { return Call{.duration_s = 1 + 0.02 * normal(random)}; };
  });
  EXPECT_GE(tally.covered, 0.95);
}

TEST(coverage, of_skewed_samples) {
  const Tally tally = simulate(3000, operator_policy(), [] {
    return [](int, std::mt19937_64& random) { return Call{.duration_s = std::exp(0.3 * normal(random))}; };
  });
  EXPECT_GE(tally.covered, 0.95);
}

TEST(coverage, of_two_humps) {
  // 60 % around 0.98, 40 % around 1.5: the median is the quantile 0.5 / 0.6 of the first hump, 0.98 + 0.02067 x 0.9674.
  const Tally tally = simulate(3000, operator_policy(), [] {
    return [](int, std::mt19937_64& random) {
      return Call{.duration_s = (uniform(random) < 0.6 ? 0.98 : 1.5) + 0.0206726 * normal(random)};
    };
  });
  EXPECT_GE(tally.covered, 0.95);
}

TEST(coverage, of_samples_correlated_within_their_block) {
  // AR(1) with rho = 0.9 inside a block, started anew in the next; 2 % in all.
  const Tally tally = simulate(3000, operator_policy(), [] {
    return [state = 0.0, current = -1](int block, std::mt19937_64& random) mutable {
      state = block == current ? 0.9 * state + std::sqrt(0.19) * normal(random) : normal(random);
      current = block;
      return Call{.duration_s = 1 + 0.02 * state};
    };
  });
  EXPECT_GE(tally.covered, 0.95);
}

/// Noise of 1 % a batch, and 30 % of the blocks slowed by 5 % and an exponential 20 % more.
Draw one_sided(bool seen_by_the_sentinel) {
  return [seen_by_the_sentinel, current = -1, slowdown = 1.0](int block, std::mt19937_64& random) mutable {
    if (block != current) {
      slowdown = uniform(random) < 0.3 ? 1.05 - 0.2 * std::log(1 - uniform(random)) : 1.0;
      current = block;
    }
    const double sentinel = slowdown > 1 && seen_by_the_sentinel ? 1.3e-3 : 1e-3;
    return Call{.duration_s = slowdown * (1 + 0.01 * normal(random)),
                .sentinel_s = sentinel * (1 + 0.003 * normal(random))};
  };
}

TEST(coverage, of_a_ceiling_under_interference_that_the_sentinel_sees) {
  const Tally tally = simulate(1500, ceiling_policy(), [] { return one_sided(true); });
  EXPECT_GE(tally.covered, 0.95);
  EXPECT_LE(tally.above, 0.025);
  EXPECT_NEAR(tally.bias, 0, 1e-3);
  EXPECT_LT(tally.median_bias, -3e-3);
  EXPECT_GT(tally.best_bias, 8e-3);
}

TEST(coverage, of_a_ceiling_under_interference_that_nothing_sees) {
  const Tally tally = simulate(400, ceiling_policy(), [] { return one_sided(false); });
  EXPECT_GE(tally.covered, 0.93);
  EXPECT_LE(tally.above, 0.025);
  EXPECT_NEAR(tally.bias, 0, 3e-3);
  EXPECT_GT(tally.best_bias, 8e-3);
}

TEST(coverage, of_a_ceiling_when_unseen_interference_is_hardly_larger_than_the_noise) {
  // 30 % of the blocks slower by 5 +- 2 %: the hardest case, because the tail is not apart from the noise.
  const Tally tally = simulate(400, ceiling_policy(), [] {
    return [current = -1, slowdown = 1.0](int block, std::mt19937_64& random) mutable {
      if (block != current) slowdown = uniform(random) < 0.3 ? 1.05 + 0.02 * normal(random) : 1.0;
      current = block;
      return Call{.duration_s = slowdown * (1 + 0.015 * normal(random))};
    };
  });
  EXPECT_GE(tally.covered, 0.93);
  EXPECT_LE(tally.above, 0.025);
  EXPECT_LT(std::abs(tally.bias), std::abs(tally.median_bias));
}

TEST(coverage, of_a_ceiling_that_nothing_disturbs) {
  const Tally tally = simulate(1500, ceiling_policy(), [] {
    return [](int, std::mt19937_64& random) {
      return Call{.duration_s = 1 + 0.02 * normal(random), .sentinel_s = 1e-3 * (1 + 0.003 * normal(random))};
    };
  });
  EXPECT_GE(tally.covered, 0.95);
  EXPECT_NEAR(tally.bias, 0, 1e-3);
  EXPECT_GT(tally.best_bias, 1e-2);
}

TEST(coverage, of_a_ceiling_whose_covariate_says_nothing_about_the_timing) {
  // Blocks are called disturbed at random: the estimate rests on fewer, and stays right.
  const Tally tally = simulate(1500, ceiling_policy(), [] {
    return [](int, std::mt19937_64& random) {
      return Call{.duration_s = 1 + 0.01 * normal(random), .involuntary_switches = uniform(random) < 0.1 ? 1.0 : 0.0};
    };
  });
  EXPECT_GE(tally.covered, 0.95);
  EXPECT_NEAR(tally.bias, 0, 1e-3);
}

}  // namespace
}  // namespace gable::measure
