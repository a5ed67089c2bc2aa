#include "core/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/error.hpp"

namespace gable::measure {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.rbegin(), values.rend(), 1.0);  // descending: nothing may rely on the order
  return values;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(median, is_the_middle_of_odd_and_the_mean_of_two_middles_of_even) {
  EXPECT_DOUBLE_EQ(median(std::vector{9.0, 1.0, 4.0}), 4.0);
  EXPECT_DOUBLE_EQ(median(std::vector{9.0, 1.0, 4.0, 6.0}), 5.0);
  EXPECT_THROW(median({}), Error);
}

// Ranks and levels as tables of the binomial give them, e.g. n = 10: x(2), x(9) at 97.85 %; n = 20: x(6), x(15)
// at 95.86 %.
TEST(median_interval, has_the_ranks_and_levels_of_the_tables) {
  struct Row {
    int n;
    double low, high, level;
  };
  for (const Row row : {Row{6, 1, 6, 0.96875}, Row{8, 1, 8, 0.9921875}, Row{9, 2, 8, 0.9609375},
                        Row{10, 2, 9, 0.978515625}, Row{20, 6, 15, 0.958610535}, Row{32, 10, 23, 0.979938}}) {
    const auto interval = median_interval(one_to(row.n));
    ASSERT_TRUE(interval) << row.n;
    EXPECT_EQ(interval->low, row.low) << row.n;
    EXPECT_EQ(interval->high, row.high) << row.n;
    EXPECT_NEAR(1 - interval->miss, row.level, 1e-6) << row.n;
  }
}

TEST(median_interval, needs_six_values) {
  EXPECT_FALSE(median_interval({}));
  EXPECT_FALSE(median_interval(one_to(5)));
  EXPECT_FALSE(median_interval(one_to(6), 0.03));  // [min, max] misses with 1/32
}

TEST(median_interval, stays_exact_for_thousands_of_values) {
  const auto interval = median_interval(one_to(10000));
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 5000 - 1.96 * 50, 1.5);  // normal approximation
  EXPECT_NEAR(interval->miss, 0.05, 0.002);
  EXPECT_LE(interval->miss, 0.05);
}

// Signs of a Markov chain that stays with probability 3/4: all n on one side with 2 x 1/2 x (3/4)^(n-1), so 0.0422 for
// n = 12 and 0.0563 for n = 11.
TEST(median_interval, of_correlated_values_is_wider_and_needs_more_of_them) {
  EXPECT_FALSE(median_interval(one_to(11), 0.05, 0.5));
  const auto twelve = median_interval(one_to(12), 0.05, 0.5);
  ASSERT_TRUE(twelve);
  EXPECT_EQ(twelve->low, 1);
  EXPECT_EQ(twelve->high, 12);
  EXPECT_NEAR(twelve->miss, std::pow(0.75, 11), 1e-12);
  for (const int n : {16, 33, 96}) {
    double width = 0;
    for (const double correlation : {0.0, 0.2, 0.4, 0.6}) {
      const auto interval = median_interval(one_to(n), 0.05, correlation);
      if (!interval) continue;
      EXPECT_GE(interval->high - interval->low, width) << n << ' ' << correlation;
      EXPECT_LE(interval->miss, 0.05);
      width = interval->high - interval->low;
    }
  }
  // Many values: the variance of the count grows by (1 + r) / (1 - r) = 4.
  const auto many = median_interval(one_to(4000), 0.05, 0.6);
  ASSERT_TRUE(many);
  EXPECT_NEAR(many->low, 2000 - 1.96 * std::sqrt(4000.0), 3);
}

TEST(serial_correlation, is_that_of_the_series_without_bias_and_never_negative) {
  EXPECT_EQ(serial_correlation(std::vector{1.0, 2.0}), 0);
  EXPECT_EQ(serial_correlation(std::vector(20, 3.0)), 0);
  EXPECT_EQ(serial_correlation(std::vector{1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0}), 0);
  EXPECT_EQ(serial_correlation(one_to(200)), 0.95);
  // One outlier in an alternating series does not matter: the ranks of 1, 3, 2, 4 … are what counts.
  EXPECT_EQ(serial_correlation(std::vector{1.0, 3.0, 1.1, 3.1, 1.2, 1e9, 1.3, 3.3}), 0);
  std::mt19937_64 random(9);
  std::normal_distribution<double> noise;
  double sum = 0;
  for (int run = 0; run < 400; ++run) {
    std::vector<double> values(60);
    double state = noise(random);
    for (double& value : values) value = state = 0.6 * state + 0.8 * noise(random);
    sum += serial_correlation(values) / 400;
  }
  EXPECT_NEAR(sum, 6 / std::acos(-1.0) * std::asin(0.3), 0.03);  // of ranks: (6/pi) asin(rho / 2)
}

TEST(half_sample_mode, follows_the_densest_half_down) {
  // half of 7 is 4: 10..23 is narrowest; half of that is 2: 20, 21.
  EXPECT_DOUBLE_EQ(half_sample_mode(std::vector{60.0, 0.0, 21.0, 10.0, 40.0, 23.0, 20.0}), 20.5);
  EXPECT_DOUBLE_EQ(half_sample_mode(std::vector{5.0}), 5.0);
  EXPECT_DOUBLE_EQ(half_sample_mode(std::vector{5.0, 7.0}), 6.0);
  EXPECT_DOUBLE_EQ(half_sample_mode(std::vector{1.0, 2.0, 10.0}), 1.5);
  EXPECT_THROW(half_sample_mode({}), Error);
}

TEST(half_sample_mode, of_evenly_spread_values_is_in_their_middle) {
  EXPECT_NEAR(half_sample_mode(one_to(101)), 51.0, 2.0);
  EXPECT_DOUBLE_EQ(half_sample_mode(std::vector(10, 3.0)), 3.0);
}

TEST(half_sample_mode, finds_the_dense_cluster_the_median_misses) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> dense(100, 0.5);
  std::uniform_real_distribution<double> wide(50, 95);
  std::vector<double> values;
  for (int i = 0; i < 90; ++i) values.push_back(dense(random));
  for (int i = 0; i < 110; ++i) values.push_back(wide(random));
  EXPECT_LT(median(values), 98);
  EXPECT_NEAR(half_sample_mode(values), 100, 1);
}

TEST(block_bootstrap, needs_six_values_and_repeats_with_its_seed) {
  EXPECT_FALSE(block_bootstrap_interval(one_to(5), mean));
  const auto first = block_bootstrap_interval(one_to(20), mean, 0.05, 7);
  const auto again = block_bootstrap_interval(one_to(20), mean, 0.05, 7);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->low, again->low);
  EXPECT_EQ(first->high, again->high);
  EXPECT_LT(first->low, 10.5);
  EXPECT_GT(first->high, 10.5);
}

TEST(block_bootstrap, blocks_grow_as_the_cube_root) {
  EXPECT_EQ(bootstrap_block_length(8), 2);
  EXPECT_EQ(bootstrap_block_length(27), 3);
  EXPECT_EQ(bootstrap_block_length(32), 4);
  EXPECT_EQ(bootstrap_block_length(1000), 10);
}

// AR(1) with rho = 0.5: an interval that takes the values for independent covers the mean with 2 Phi(1.96 / sqrt(3)) -
// 1 = 74 %.
TEST(block_bootstrap, accounts_for_serial_correlation) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise;
  const int runs = 400;
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> values(100);
    double state = noise(random) / std::sqrt(0.75);
    for (double& value : values) value = state = 0.5 * state + noise(random);
    const auto interval = block_bootstrap_interval(values, mean, 0.05, static_cast<std::uint64_t>(run));
    ASSERT_TRUE(interval);
    covered += interval->low <= 0 && 0 <= interval->high ? 1 : 0;
  }
  EXPECT_GT(covered, 0.83 * runs);
}

}  // namespace
}  // namespace gable::measure
