#include "core/measure/looks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace gable::measure {
namespace {

/// 1 … n in an order in which neighbours are far from each other.
std::vector<Block> numbered(int n) {
  std::vector<Block> blocks;
  for (int i = 1; i <= n; ++i) {
    blocks.push_back({.figure = static_cast<double>(i % 2 == 0 ? i / 2 : n - i / 2), .batches = 1});
  }
  return blocks;
}

std::vector<Block> drifting(int n) {
  std::vector<Block> blocks;
  for (int i = 1; i <= n; ++i) blocks.push_back({.figure = static_cast<double>(i), .batches = 1});
  return blocks;
}

// Spent: n = 8 ranks 1, 8: 0.0078; n = 16 ranks 4, 13: 0.0213; n = 32 ranks 10, 23: 0.0201. Sum 0.0492.
TEST(looks, spend_five_percent_together) {
  Looks looks({}, {.looks = {8, 16, 32}});
  const Estimate first = looks.look(numbered(8), false);
  EXPECT_EQ(first.ci_low, 1);
  EXPECT_EQ(first.ci_high, 8);
  const Estimate second = looks.look(numbered(16), false);
  EXPECT_EQ(second.ci_low, 4);
  EXPECT_EQ(second.ci_high, 13);
  const Estimate third = looks.look(numbered(32), true);
  EXPECT_EQ(third.ci_low, 10);
  EXPECT_EQ(third.ci_high, 23);
}

TEST(looks, the_first_may_spend_only_its_share) {
  Looks three({}, {.looks = {6, 12, 24}});
  EXPECT_FALSE(three.look(numbered(6), false).ci_low);  // [min, max] would cost 1/32, the share is 1/60
  Looks one({}, {.looks = {6}});
  EXPECT_TRUE(one.look(numbered(6), true).ci_low);
}

TEST(looks, at_drifting_blocks_give_no_interval_before_the_last_and_then_the_whole_range) {
  for (const bool ceiling : {false, true}) {
    Looks looks({}, {.looks = {8, 16}, .ceiling = ceiling});
    EXPECT_FALSE(looks.look(drifting(8), false).ci_low);
    const Estimate last = looks.look(drifting(16), true);
    EXPECT_EQ(last.ci_low, 1);
    EXPECT_EQ(last.ci_high, 16);
    EXPECT_EQ(last.median_ci_low, 1);
    EXPECT_EQ(last.median_ci_high, 16);
  }
}

TEST(looks, widen_the_interval_of_the_mode_when_neighbours_resemble_each_other) {
  // A dense cluster at 100 and a slow tail; the same figures mixed and in order.
  std::vector<double> figures;
  for (int i = 0; i < 24; ++i) figures.push_back(100 + 0.1 * (i % 12));
  for (int i = 0; i < 8; ++i) figures.push_back(60 + 4.0 * i);
  const auto interval_width = [](const std::vector<double>& in_order) {
    std::vector<Block> blocks;
    for (const double figure : in_order) blocks.push_back({.figure = figure, .batches = 1});
    Looks looks({}, {.looks = {32}, .ceiling = true});
    const Estimate estimate = looks.look(blocks, true);
    EXPECT_EQ(estimate.estimator, Estimator::mode);
    return *estimate.ci_high - *estimate.ci_low;
  };
  std::vector<double> mixed;
  for (std::size_t i = 0; i < 32; ++i) mixed.push_back(figures[i * 13 % 32]);
  std::vector<double> ordered = figures;
  std::sort(ordered.begin(), ordered.end());
  EXPECT_GT(interval_width(ordered), 1.5 * interval_width(mixed));
}

/// Share of runs in which some interval of the series misses the median 0: the worst any rule of stopping could do.
// 8 quiet blocks at 2 GHz, 4 disturbed ones at 1 GHz, and one that saw no clock.
TEST(looks, take_the_clock_of_the_blocks_behind_the_value) {
  std::vector<Block> blocks = numbered(8);
  for (Block& block : blocks) block.clock_hz = 2e9;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back({.figure = 1, .batches = 1, .involuntary_switches = 1, .clock_hz = 1e9});
  }
  blocks.push_back({.figure = 3, .batches = 1});
  const Estimate ceiling = Looks({}, {.looks = {13}, .ceiling = true}).look(blocks, true);
  ASSERT_EQ(ceiling.used_blocks, 9);
  EXPECT_EQ(ceiling.clock_hz, 2e9);
  for (std::size_t i = 0; i < 6; ++i) blocks[i].clock_hz = 1e9;
  EXPECT_EQ(Looks({}, {.looks = {13}}).look(blocks, true).clock_hz, 1e9);
  EXPECT_FALSE(Looks({}, {.looks = {8}}).look(numbered(8), true).clock_hz);
}

double worst_miss(const std::vector<int>& planned, bool corrected) {
  std::mt19937_64 random(17);
  std::normal_distribution<double> noise;
  const int runs = 4000;
  int missed = 0;
  for (int run = 0; run < runs; ++run) {
    Looks series({}, {.looks = planned});
    std::vector<Block> blocks;
    bool any = false;
    for (const int look : planned) {
      while (static_cast<int>(blocks.size()) < look) blocks.push_back({.figure = noise(random), .batches = 1});
      Looks alone({}, {.looks = {look}});
      const bool last = look == planned.back();
      const Estimate estimate = corrected ? series.look(blocks, last) : alone.look(blocks, true);
      any = any || (estimate.ci_low && (*estimate.ci_low > 0 || *estimate.ci_high < 0));
    }
    missed += any ? 1 : 0;
  }
  return static_cast<double>(missed) / runs;
}

TEST(looks, keep_their_coverage_whatever_the_rule_of_stopping) {
  EXPECT_LE(worst_miss({8, 16, 32}, true), 0.05);
  EXPECT_LE(worst_miss({8, 12, 16, 24, 32, 48, 64}, true), 0.05);
}

TEST(looks, without_the_correction_would_not) { EXPECT_GT(worst_miss({8, 12, 16, 24, 32, 48, 64}, false), 0.07); }

}  // namespace
}  // namespace gable::measure
