#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <random>
#include <vector>

#include "core/measure/disturbance.hpp"
#include "tests/unit/openmp/scratch_root.hpp"

namespace gable::measure {
namespace {

Block stolen(std::optional<double> seconds) {
  Block block{1.0, 1};
  block.stolen_s = seconds;
  return block;
}

/// Blocks whose sentinels all took 1 ms and whose throughput took these multiples of it.
std::vector<Block> with_ratios(std::initializer_list<double> ratios) {
  std::vector<Block> blocks;
  for (const double ratio : ratios) {
    Block block{1.0, 1};
    block.sentinel_s = 1e-3;
    block.throughput_s = ratio * 1e-3;
    blocks.push_back(block);
  }
  return blocks;
}

TEST(classify, calls_switched_out_blocks_disturbed) {
  const std::vector<Block> blocks{{1.0, 4, 0, 0}, {1.0, 4, 2, 0}, {1.0, 4, 0, 0}};
  const Classification classes = classify(blocks);
  EXPECT_EQ(classes.disturbed, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(classes.seen.disturbed_blocks, 1);
  EXPECT_DOUBLE_EQ(classes.seen.involuntary_switches, 2.0 / 12);
  EXPECT_DOUBLE_EQ(classes.seen.sentinel_slowdown, 1.0);
  EXPECT_FALSE(classes.sentinel_baseline);
}

TEST(classify, calls_a_slow_sentinel_disturbed_from_two_percent_on) {
  std::vector<Block> blocks;
  for (const double sentinel : {1.000, 1.001, 1.001, 1.002, 1.015, 1.030, 0.95, 1.3}) {
    blocks.push_back({1.0, 3, 0, sentinel * 1e-3});
  }
  const Classification classes = classify(blocks);
  EXPECT_EQ(classes.disturbed, (std::vector<bool>{false, false, false, false, false, true, false, true}));
  ASSERT_TRUE(classes.sentinel_baseline);
  EXPECT_NEAR(*classes.sentinel_baseline, 1.001e-3, 1e-6);
}

TEST(classify, calls_blocks_disturbed_in_which_the_steal_counter_moved) {
  const std::vector<Block> blocks{stolen(0.0), stolen(0.01), stolen(0.02), stolen({})};
  const Classification classes = classify(blocks);
  EXPECT_EQ(classes.disturbed, (std::vector<bool>{false, true, true, false}));
  ASSERT_TRUE(classes.seen.stolen_s);
  EXPECT_DOUBLE_EQ(*classes.seen.stolen_s, 0.03);
  EXPECT_EQ(classify(std::vector<Block>{stolen(0.0)}).seen.stolen_s, 0.0) << "none is not unknown";
}

TEST(throughput_baseline, is_the_mode_of_the_fastest_quarter) {
  // The fastest three of twelve are 0.700, 0.800, 0.801; the densest two of them are the last.
  const auto blocks = with_ratios({1.6, 0.801, 0.700, 1.2, 0.800, 0.9, 1.4, 1.0, 1.1, 1.6, 1.6, 1.6});
  const auto baseline = throughput_baseline(blocks);
  ASSERT_TRUE(baseline);
  EXPECT_DOUBLE_EQ(*baseline, (0.800 + 0.801) / 2);
}

TEST(throughput_baseline, stands_while_four_in_five_are_disturbed_alike) {
  // 80 of 100 beside a neighbour who takes half, steadier than the others are; two ratios of interrupted chains.
  std::vector<Block> blocks = with_ratios({0.4, 0.5});
  for (int i = 0; i < 98; ++i) {
    const double ratio = i < 18 ? 0.8 * (1 + 1e-4 * (i % 10)) : 1.6 * (1 + 1e-5 * (i % 10));
    blocks.push_back(with_ratios({ratio}).front());
  }
  const auto baseline = throughput_baseline(blocks);
  ASSERT_TRUE(baseline);
  EXPECT_GE(*baseline, 0.8);
  EXPECT_LE(*baseline, 0.8 * 1.001);
}

TEST(throughput_baseline, needs_both_times) {
  EXPECT_FALSE(throughput_baseline({}));
  EXPECT_FALSE(throughput_baseline(std::vector<Block>(4, Block{1.0, 1, 0, 1e-3})));
  EXPECT_FALSE(throughput_ratio(Block{1.0, 1, 0, 0, 1e-3}));
  EXPECT_DOUBLE_EQ(throughput_ratio(Block{1.0, 1, 0, 2e-3, 3e-3}).value(), 1.5);
}

TEST(classify, calls_a_throughput_above_its_level_disturbed) {
  const double within = 1 + 0.9 * throughput_tolerance, beyond = 1 + 1.1 * throughput_tolerance;
  const auto blocks = with_ratios({0.8, 0.8, 0.8 * within, 0.8 * beyond, 1.6, 0.7});
  const Classification classes = classify(blocks, 0.8);
  EXPECT_EQ(classes.disturbed, (std::vector<bool>{false, false, false, true, true, false}));
  EXPECT_EQ(classes.throughput_baseline, 0.8);
  EXPECT_DOUBLE_EQ(classes.seen.throughput_slowdown, (1 + within) / 2) << "the two middle ones of six";
  EXPECT_DOUBLE_EQ(classes.seen.sentinel_slowdown, 1.0);
}

TEST(classify, sees_by_the_level_of_the_run_a_neighbour_who_stayed_for_a_whole_row) {
  const auto row = with_ratios({1.6, 1.601, 1.599, 1.6, 1.602, 1.6});
  EXPECT_EQ(classify(row).seen.disturbed_blocks, 0);
  EXPECT_NEAR(classify(row).seen.throughput_slowdown, 1.0, 1e-3);
  const Classification classes = classify(row, 0.8);
  EXPECT_EQ(classes.seen.disturbed_blocks, 6);
  EXPECT_DOUBLE_EQ(classes.seen.throughput_slowdown, 2.0);
}

TEST(classify, is_not_misled_by_the_clock) {
  // Half the clock: both pieces take twice as long.
  auto blocks = with_ratios({0.8, 0.8, 0.8, 0.8});
  blocks[1].sentinel_s *= 2;
  blocks[1].throughput_s *= 2;
  const Classification classes = classify(blocks, 0.8);
  EXPECT_EQ(classes.disturbed, (std::vector<bool>{false, true, false, false})) << "by the sentinel alone";
  EXPECT_DOUBLE_EQ(classes.seen.throughput_slowdown, 1.0);
}

TEST(classify, lets_blocks_without_a_throughput_say_nothing_of_it) {
  std::vector<Block> blocks(3, Block{1.0, 1, 0, 1e-3});
  const Classification classes = classify(blocks, 0.8);
  EXPECT_EQ(classes.seen.disturbed_blocks, 0);
  EXPECT_DOUBLE_EQ(classes.seen.throughput_slowdown, 1.0);
}

TEST(classify, calls_threads_that_did_not_run_all_the_time_disturbed) {
  std::vector<Block> blocks(5, Block{1.0, 1});
  blocks[1].preemption = 1.01;
  blocks[2].preemption = 1.03;
  blocks[3].preemption = 4;
  blocks[4].preemption = 5;
  const Classification classes = classify(blocks);
  EXPECT_EQ(classes.disturbed, (std::vector<bool>{false, false, true, true, true}));
  EXPECT_DOUBLE_EQ(classes.seen.preemption_slowdown, 1.03);
}

TEST(classify, never_looks_at_the_figures) {
  std::vector<Block> blocks;
  for (int i = 0; i < 12; ++i) blocks.push_back({1.0, 3, i % 4 == 0 ? 1.0 : 0.0, i % 5 == 0 ? 1.1e-3 : 1e-3});
  const auto before = classify(blocks).disturbed;
  for (Block& block : blocks) block.figure = block.sentinel_s > 1e-3 ? 2.0 : 0.1;
  EXPECT_EQ(classify(blocks).disturbed, before);
}

TEST(classify, without_blocks_or_covariates_sees_nothing) {
  EXPECT_EQ(classify({}).seen, Disturbance{});
  const std::vector<Block> blocks(8, Block{1.0, 3, 0, 0});
  EXPECT_EQ(classify(blocks).seen, Disturbance{});
}

TEST(slow_tail, is_seen_on_the_slow_side_only) {
  const std::vector<double> rates{100, 100.1, 99.9, 100.2, 99.8, 100, 85, 80, 70};
  EXPECT_TRUE(has_slow_tail(rates, false));
  EXPECT_FALSE(has_slow_tail(rates, true));  // taken for times, these are fast ones
}

TEST(slow_tail, needs_three_blocks_a_tenth_of_all_and_two_percent) {
  std::vector<double> few(8, 1.0);
  few[0] = few[1] = 2.0;
  EXPECT_FALSE(has_slow_tail(few, true));
  few[2] = 2.0;
  EXPECT_TRUE(has_slow_tail(few, true));

  std::vector<double> many(40, 1.0);
  many[0] = many[1] = many[2] = 2.0;
  EXPECT_FALSE(has_slow_tail(many, true));
  many[3] = 2.0;
  EXPECT_TRUE(has_slow_tail(many, true));
  for (double& time : many) time = time > 1 ? 1.015 : 1.0;
  EXPECT_FALSE(has_slow_tail(many, true));
  EXPECT_FALSE(has_slow_tail({}, true));
}

TEST(slow_tail, is_rarely_seen_in_symmetric_noise) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(100, 2);
  for (const int n : {8, 16, 32}) {
    int seen = 0;
    for (int run = 0; run < 2000; ++run) {
      std::vector<double> figures(static_cast<std::size_t>(n));
      for (double& figure : figures) figure = noise(random);
      seen += has_slow_tail(figures, false) ? 1 : 0;
    }
    EXPECT_LT(seen, 0.08 * 2000) << n;
  }
}

class Steal : public ScratchRoot {
 protected:
  /// In ticks: of all, then of three cpus, of which number 1 is offline.
  void SetUp() override {
    ScratchRoot::SetUp();
    write("proc/stat",
          "cpu  90 80 70 60 50 40 30 700 9 8\n"
          "cpu0 1 2 3 4 5 6 7 100 0 0\n"
          "cpu2 1 2 3 4 5 6 7 250 0 0\n"
          "cpu10 1 2 3 4 5 6 7 350 0 0\n"
          "intr 12345 1 2 3 4 5 6 7\n");
  }
  double seconds(double ticks) const { return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)); }
};

TEST_F(Steal, IsTheSumOverTheCpusInUse) {
  EXPECT_EQ(stolen_s(std::vector{0}, root()), seconds(100));
  EXPECT_EQ(stolen_s(std::vector{10, 2}, root()), seconds(600));
}

TEST_F(Steal, IsThatOfTheSystemWhereACpuHasNoLine) {
  EXPECT_EQ(stolen_s({}, root()), seconds(700));
  EXPECT_EQ(stolen_s(std::vector{0, 1}, root()), seconds(700));
}

TEST_F(Steal, IsUnknownWithoutTheFileOrTheField) {
  EXPECT_FALSE(stolen_s({}, root() + "/nowhere"));
  write("proc/stat", "cpu  90 80 70 60\ncpu0 1 2 3 4\n");
  EXPECT_FALSE(stolen_s({}, root()));
  EXPECT_FALSE(stolen_s(std::vector{0}, root()));
}

}  // namespace
}  // namespace gable::measure
