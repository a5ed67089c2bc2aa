#include "core/measure/two_speeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/measure/rounds.hpp"

namespace gable::measure {
namespace {

/// One figure a round, of the rounds from 0.
std::vector<int> rounds_from_0(const std::vector<double>& figures) {
  std::vector<int> rounds;
  for (std::size_t i = 0; i < figures.size(); ++i) rounds.push_back(static_cast<int>(i));
  return rounds;
}

std::vector<int> faster(const std::vector<double>& figures, bool larger_is_slower = false) {
  auto rounds = faster_rounds(figures, rounds_from_0(figures), larger_is_slower);
  std::ranges::sort(rounds);
  return rounds;
}

bool once(const std::vector<double>& figures) { return saw_a_faster_speed(figures, rounds_from_0(figures), false); }

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
  EXPECT_TRUE(faster({64, 61, 59, 54, 41, 40}).empty()) << "four are too few for that";
}

TEST(TwoSpeeds, AreNotSeenInFiguresThatScatter) {
  EXPECT_TRUE(faster({100, 100, 100, 100}).empty());
  EXPECT_TRUE(faster({100, 99, 98, 93}).empty()) << "apart by less than 10 %";
  EXPECT_TRUE(faster({100, 92, 85, 75}).empty()) << "the three fastest differ by more than the next from them";
  EXPECT_TRUE(faster({63, 64, 36}).empty()) << "two rounds";
}

TEST(TwoSpeeds, AreTakenForScatterWhereRoundsDifferNormally) {
  // The share of samples in which normal medians of rounds look like two speeds.
  const auto share = [](double deviation) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    int found = 0, samples = 0;
    for (const int rounds : {3, 5, 9, 15, 27}) {
      for (int i = 0; i < 400; ++i, ++samples) {
        std::vector<double> figures;
        for (int round = 0; round < rounds; ++round) figures.push_back(std::exp(deviation * normal(random)));
        found += faster(figures).empty() ? 0 : 1;
      }
    }
    return static_cast<double>(found) / samples;
  };
  const double little = share(0.03), much = share(0.1);
  RecordProperty("percent_of_samples_at_3_percent", std::to_string(100 * little));
  RecordProperty("percent_of_samples_at_10_percent", std::to_string(100 * much));
  EXPECT_LE(little, 0.01);
  EXPECT_LE(much, 0.08);
}

TEST(TwoSpeeds, AFasterOneThatCameOnceOrTwiceIsNoSpeedYet) {
  EXPECT_TRUE(once({36, 64, 35, 36}));
  EXPECT_TRUE(once({36, 64, 35, 63, 36}));
  EXPECT_FALSE(once({36, 64, 35, 63, 64, 36})) << "three times";
  EXPECT_FALSE(once({36, 37, 35, 36}));
  EXPECT_FALSE(once({36}));
}

std::vector<Block> blocks_of(const std::vector<double>& medians, double seconds_apart) {
  std::vector<Block> blocks;
  for (std::size_t round = 0; round < medians.size(); ++round) {
    for (const double noise : {0.99, 1.0, 1.01}) {
      blocks.push_back({.figure = noise * medians[round],
                        .batches = 1,
                        .round = static_cast<int>(round),
                        .at_s = seconds_apart * static_cast<double>(round)});
    }
  }
  return blocks;
}

TEST(Moments, SayWhenARowRanSlowly) {
  const auto moments = moments_of(blocks_of({60, 30, 60, 60, 20}, 10), false);
  ASSERT_EQ(moments.size(), 5u);
  EXPECT_NEAR(slowdown_at(moments, 0), 1, 1e-9);
  EXPECT_NEAR(slowdown_at(moments, 11), 2, 1e-9);
  EXPECT_NEAR(slowdown_at(moments, 38), 3, 1e-9) << "the nearest counts";
  EXPECT_EQ(slowdown_at(moments, 60), 1) << "nothing was seen near it";
  EXPECT_TRUE(moments_of(blocks_of({60, 60, 60, 60}, 10), false).empty());
}

TEST(Estimate, OfTwoSpeedsIsTheFaster) {
  const auto blocks = blocks_of({36, 63, 35, 64, 36, 36, 63, 36}, 1);
  const auto seen = estimate(blocks, {.ceiling = true});
  EXPECT_EQ(seen.estimator, Estimator::fast_mode);
  EXPECT_NEAR(seen.value, 63, 0.7);
  EXPECT_GT(*seen.ci_low, 58);
  EXPECT_LT(*seen.ci_high, 68);
  EXPECT_EQ(seen.used_blocks, 9);
  EXPECT_EQ(seen.blocks, 24);
  EXPECT_NEAR(seen.median, 36, 0.7) << "what most blocks gave is kept beside it";
  EXPECT_FALSE(wants_another_round(seen, 0.1, {.ceiling = true}));
  const auto used = used_samples(seen, false);
  EXPECT_EQ(used, (std::vector<std::size_t>{3, 4, 5, 9, 10, 11, 18, 19, 20})) << "so that it can be recomputed";
  EXPECT_EQ(estimate(blocks, {}).estimator, Estimator::median) << "an operator is not judged by its best";
}

TEST(Estimate, OfTwoSpeedsLeavesOutWhatACovariateCallsDisturbed) {
  auto blocks = blocks_of({36, 63, 35, 64, 90, 90, 90, 36, 63, 36}, 1);
  for (Block& block : blocks) block.involuntary_switches = block.figure > 80 ? 1 : 0;
  const auto seen = estimate(blocks, {.ceiling = true});
  EXPECT_EQ(seen.estimator, Estimator::fast_mode);
  EXPECT_NEAR(seen.value, 63, 0.7);
  EXPECT_EQ(used_samples(seen, false), (std::vector<std::size_t>{3, 4, 5, 9, 10, 11, 24, 25, 26}));
}

TEST(Estimate, OfAFasterSpeedSeenOnceAsksForAnotherRound) {
  const auto seen = estimate(blocks_of({36, 36, 35, 36, 36, 63, 36, 36}, 1), {.ceiling = true});
  EXPECT_NEAR(seen.value, 36, 0.7);
  EXPECT_TRUE(wants_another_round(seen, 10.0, {.ceiling = true}));
  EXPECT_FALSE(wants_another_round(seen, 10.0, {})) << "what is no ceiling";
}

TEST(Estimate, TakenOnlyWhileOthersRanSlowlyHoldsWhatItMayHaveLost) {
  const auto others = moments_of(blocks_of({60, 30, 30, 60, 60, 40}, 10), false);
  auto blocks = blocks_of({100, 100, 100}, 1);
  const auto at = [&](double first, double second, double third) {
    const double times[] = {first, second, third};
    for (Block& block : blocks) block.at_s = times[block.round];
    return estimate(blocks, {.ceiling = true, .others = others});
  };
  EXPECT_NEAR(*at(10, 20, 51).ci_high, 150, 2) << "what others lost in the best of its rounds";
  EXPECT_NEAR(at(10, 20, 51).value, 100, 1e-9);
  EXPECT_LT(*at(10, 20, 41).ci_high, 105) << "one of its rounds was a good moment";
  EXPECT_LT(*at(10, 20, 99).ci_high, 105) << "nothing is known of one of its rounds";
}

}  // namespace
}  // namespace gable::measure
