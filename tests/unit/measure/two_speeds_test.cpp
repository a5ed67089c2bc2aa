#include "core/measure/two_speeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/measure/rounds.hpp"

namespace gable::measure {
namespace {

/// Three blocks a round, 1 % apart, whose medians are these; the rounds end so many seconds apart, the first at 1000 s.
std::vector<Block> blocks_of(const std::vector<double>& medians, double seconds_apart = 1) {
  std::vector<Block> blocks;
  for (std::size_t round = 0; round < medians.size(); ++round) {
    for (const double noise : {0.99, 1.0, 1.01}) {
      blocks.push_back({.figure = noise * medians[round],
                        .batches = 1,
                        .round = static_cast<int>(round),
                        .at_s = 1000 + seconds_apart * static_cast<double>(round)});
    }
  }
  return blocks;
}

std::vector<int> faster(const std::vector<double>& medians, bool larger_is_slower = false) {
  auto rounds = faster_rounds(blocks_of(medians), larger_is_slower);
  std::ranges::sort(rounds);
  return rounds;
}

bool once(const std::vector<double>& medians) { return saw_a_faster_speed(blocks_of(medians), false); }

TEST(TwoSpeeds, AreSeenWhereThreeRoundsLieTogetherFarFromTheNext) {
  EXPECT_EQ(faster({35, 63, 36, 64, 36, 63}), (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(faster({63, 64, 36, 63}), (std::vector<int>{0, 1, 3})) << "one slow round is enough";
  EXPECT_EQ(faster({1.13, 0.61, 1.12, 0.6, 0.64, 1.1}, true), (std::vector<int>{1, 3, 4})) << "of times the short ones";
}

TEST(TwoSpeeds, OfThreeTheFastestThatComesBackCounts) {
  EXPECT_EQ(faster({64, 36, 18, 63, 37, 18, 63, 36, 18}), (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(faster({64, 36, 18, 35, 37, 18, 18}), (std::vector<int>{}))
      << "36 came back three times, but 64 is no part of it";
}

TEST(TwoSpeeds, MayHaveOneRoundInBetweenForFiveOfTheFaster) {
  EXPECT_EQ(faster({64, 61, 60, 62, 58, 50, 41, 40}), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(faster({64, 61, 60, 59, 50, 41, 40}).empty()) << "four are too few for that";
}

TEST(TwoSpeeds, ARoundOfASingleBlockShowsNone) {
  auto blocks = blocks_of({64, 62, 60, 37, 36});
  blocks.push_back({.figure = 52, .batches = 1, .round = 5});
  EXPECT_EQ(faster_rounds(blocks, false).size(), 3u) << "one alone between the two";
  blocks.push_back({.figure = 52, .batches = 1, .round = 5});
  EXPECT_TRUE(faster_rounds(blocks, false).empty());
}

TEST(TwoSpeeds, AreNotSeenInFiguresThatScatter) {
  EXPECT_TRUE(faster({100, 100, 100, 100}).empty());
  EXPECT_TRUE(faster({100, 99, 98, 83}).empty()) << "apart by less than 20 %";
  EXPECT_TRUE(faster({100, 92, 85, 65}).empty()) << "they differ by more than half of the gap";
  EXPECT_TRUE(faster({63, 64, 36}).empty()) << "two rounds";
}

TEST(TwoSpeeds, AFasterOneThatCameOnceOrTwiceIsNoSpeedYet) {
  EXPECT_TRUE(once({36, 64, 35, 36}));
  EXPECT_TRUE(once({36, 64, 35, 63, 36}));
  EXPECT_FALSE(once({36, 64, 35, 63, 64, 36})) << "three times";
  EXPECT_FALSE(once({36, 37, 35, 36}));
  EXPECT_FALSE(once({36}));
}

struct Scatter {
  double faster{};   ///< share of the rows that end as two speeds
  double bias{};     ///< of their values, mean
  double covered{};  ///< share of the intervals of all rows that hold the centre
};

/// Rows whose rounds scatter normally, measured as a quick run does: three rounds, and further ones up to 15 in all
/// while the row asks for them.
Scatter scattered(double deviation) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  constexpr int rows = 1000, most_rounds = 15;
  Scatter seen;
  int found = 0;
  for (int i = 0; i < rows; ++i) {
    std::vector<double> medians;
    for (int round = 0; round < 3; ++round) medians.push_back(std::exp(deviation * normal(random)));
    const auto now = [&] { return estimate(blocks_of(medians), {.ceiling = true, .two_speeds = true}); };
    auto row = now();
    while (wants_another_round(row, 0.1) && medians.size() < most_rounds) {
      medians.push_back(std::exp(deviation * normal(random)));
      row = now();
    }
    if (row.estimator == Estimator::faster_speed) {
      ++found;
      seen.bias += std::log(row.value);
    }
    seen.covered += row.low() <= 1 && 1 <= row.high() ? 1.0 / rows : 0;
  }
  if (found > 0) seen.bias /= found;
  seen.faster = static_cast<double>(found) / rows;
  const std::string at = "_at_" + std::to_string(static_cast<int>(std::lround(100 * deviation)));
  ::testing::Test::RecordProperty("faster" + at, std::to_string(seen.faster));
  ::testing::Test::RecordProperty("bias" + at, std::to_string(seen.bias));
  ::testing::Test::RecordProperty("covered" + at, std::to_string(seen.covered));
  return seen;
}

TEST(TwoSpeeds, AreSeldomTakenForScatterThoughOneLooksAfterEveryRound) {
  EXPECT_LE(scattered(0.05).faster, 0.003);
  EXPECT_GE(scattered(0.05).covered, 0.93);
  EXPECT_LE(scattered(0.10).faster, 0.05);
  EXPECT_GE(scattered(0.10).covered, 0.87);
}

TEST(Moments, SayWhenARowRanSlowly) {
  const auto moments = moments_of(blocks_of({60, 30, 60, 60, 20}, 10), false);
  ASSERT_EQ(moments.size(), 5u);
  EXPECT_NEAR(slowdown_at(moments, 1000), 1, 1e-9);
  EXPECT_NEAR(slowdown_at(moments, 1011), 2, 1e-9);
  EXPECT_NEAR(slowdown_at(moments, 1038), 3, 1e-9) << "the nearest counts";
  EXPECT_EQ(slowdown_at(moments, 1060), 1) << "nothing was seen near it";
  EXPECT_TRUE(moments_of(blocks_of({60, 60, 60, 60}), false).empty());
}

TEST(Moments, AreNoneWhereTimesAreUnknown) {
  auto blocks = blocks_of({60, 30, 60, 60});
  for (Block& block : blocks) block.at_s = 0;
  EXPECT_TRUE(moments_of(blocks, false).empty());
  EXPECT_EQ(slowdown_at(std::vector<Moment>{{1, 2.0}}, 0), 1) << "an unknown time is near to nothing";
}

TEST(Estimate, OfTwoSpeedsIsTheFaster) {
  const auto blocks = blocks_of({36, 63, 35, 64, 36, 36, 63, 36});
  const auto seen = estimate(blocks, {.ceiling = true, .two_speeds = true});
  EXPECT_EQ(seen.estimator, Estimator::faster_speed);
  EXPECT_NEAR(seen.value, 63, 0.7);
  EXPECT_GT(*seen.ci_low, 58);
  EXPECT_LT(*seen.ci_high, 68);
  EXPECT_EQ(seen.used_blocks, 9);
  EXPECT_EQ(seen.blocks, 24);
  EXPECT_NEAR(seen.median, 36, 0.7) << "what most blocks gave is kept beside it";
  EXPECT_FALSE(wants_another_round(seen, 0.1));
  EXPECT_EQ(seen.used_rounds, (std::vector<int>{1, 3, 6}));
  EXPECT_EQ(used_samples(seen), (std::vector<std::size_t>{3, 4, 5, 9, 10, 11, 18, 19, 20}))
      << "so that it can be recomputed";
  EXPECT_NE(estimate(blocks, {.ceiling = true}).estimator, Estimator::faster_speed)
      << "where a slower one may be the machine's own, as that of a unit that grows warm";
}

TEST(Estimate, OfTwoSpeedsLeavesOutWhatACovariateCallsDisturbed) {
  auto blocks = blocks_of({36, 63, 35, 64, 90, 90, 90, 36, 63, 36});
  for (Block& block : blocks) block.involuntary_switches = block.figure > 80 ? 1 : 0;
  const auto seen = estimate(blocks, {.ceiling = true, .two_speeds = true});
  EXPECT_EQ(seen.estimator, Estimator::faster_speed);
  EXPECT_NEAR(seen.value, 63, 0.7);
  EXPECT_EQ(used_samples(seen), (std::vector<std::size_t>{3, 4, 5, 9, 10, 11, 24, 25, 26}));
}

TEST(Estimate, OfTwoSpeedsIsNotMadeWhereMostBlocksWereDisturbed) {
  auto blocks = blocks_of({36, 63, 35, 64, 63, 36});
  for (std::size_t i = 0; i < blocks.size() - 5; ++i) blocks[i].involuntary_switches = 1;
  const auto seen = estimate(blocks, {.ceiling = true, .two_speeds = true});
  EXPECT_TRUE(rests_on_disturbed_blocks(seen));
  EXPECT_TRUE(seen.used_rounds.empty());
}

TEST(Estimate, OfAFasterSpeedSeenOnceAsksForAnotherRound) {
  const auto blocks = blocks_of({36, 36, 35, 36, 36, 63, 36, 36});
  const auto seen = estimate(blocks, {.ceiling = true, .two_speeds = true});
  EXPECT_NEAR(seen.value, 36, 0.7);
  EXPECT_TRUE(wants_another_round(seen, 10.0));
  EXPECT_FALSE(wants_another_round(estimate(blocks, {.ceiling = true}), 10.0));
}

TEST(Estimate, TakenOnlyWhileOthersRanSlowlyHoldsWhatItMayHaveLost) {
  const auto others = moments_of(blocks_of({60, 30, 30, 60, 60, 40}, 10), false);
  auto blocks = blocks_of({100, 100, 100});
  const auto at = [&](double first, double second, double third) {
    const double times[] = {first, second, third};
    for (Block& block : blocks) block.at_s = 1000 + times[block.round];
    return estimate(blocks, {.ceiling = true, .others = others});
  };
  EXPECT_NEAR(*at(10, 20, 51).ci_high, 150, 2) << "what others lost in the best of its rounds";
  EXPECT_NEAR(at(10, 20, 51).value, 100, 1e-9);
  EXPECT_LT(*at(10, 20, 41).ci_high, 105) << "one of its rounds was a good moment";
  EXPECT_LT(*at(10, 20, 99).ci_high, 105) << "nothing is known of one of its rounds";
}

}  // namespace
}  // namespace gable::measure
