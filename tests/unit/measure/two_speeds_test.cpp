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
  auto rounds = faster_rounds(blocks_of(medians), larger_is_slower).rounds;
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
  auto blocks = blocks_of({64, 62, 60, 46, 45});
  blocks.push_back({.figure = 52, .batches = 1, .round = 5});
  EXPECT_EQ(faster_rounds(blocks, false).rounds.size(), 3u) << "one alone between the two";
  blocks.push_back({.figure = 52, .batches = 1, .round = 5});
  EXPECT_TRUE(faster_rounds(blocks, false).rounds.empty());
}

TEST(TwoSpeeds, AreNotSeenInFiguresThatScatter) {
  EXPECT_TRUE(faster({100, 100, 100, 100}).empty());
  EXPECT_TRUE(faster({100, 99, 98, 83}).empty()) << "apart by less than 20 %";
  EXPECT_TRUE(faster({100, 92, 85, 65}).empty()) << "they differ by more than half of the gap";
  EXPECT_TRUE(faster({63, 64, 36}).empty()) << "two rounds";
}

TEST(SeveralSpeeds, TheFastestOnWhichThreeRoundsAgreeCounts) {
  const std::vector<double> medians{74, 38, 58, 73, 45, 66, 40, 77, 52, 39};
  EXPECT_EQ(faster(medians), (std::vector<int>{0, 3, 7})) << "66 is more than 10 % below the third";
  EXPECT_FALSE(faster_rounds(blocks_of(medians), false).apart);
  EXPECT_TRUE(faster_rounds(blocks_of({63, 64, 36, 63}), false).apart);
  std::vector<double> times;
  for (const double rate : medians) times.push_back(40 / rate);
  EXPECT_EQ(faster(times, true), (std::vector<int>{0, 3, 7}));
}

TEST(SeveralSpeeds, AreNoneWhereRoundsDifferByLessThanHalf) {
  EXPECT_TRUE(faster({74, 70, 66, 62, 58, 54, 52}).empty()) << "70 over 54 is 1.3";
  EXPECT_TRUE(faster({74, 70, 66, 58, 52, 48, 44}).empty()) << "70 over 48 is 1.46";
  EXPECT_EQ(faster({74, 70, 66, 58, 52, 46, 44}), (std::vector<int>{0, 1, 2})) << "70 over 46 is 1.52";
}

TEST(SeveralSpeeds, NeedThreeRoundsThatAgree) {
  EXPECT_TRUE(faster({80, 62, 56, 50, 45, 40, 38}).empty()) << "80 over 56 is 1.43";
  EXPECT_EQ(faster({80, 78, 67, 50, 45, 40, 38}), (std::vector<int>{0, 1, 2})) << "80 over 67 is 1.19";
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
    const auto now = [&] { return estimate(blocks_of(medians), {.ceiling = true, .fastest_speed = true}); };
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

/// Shares of 1000 rows, but for the bias.
struct OfSeveral {
  double found{}, two{};        ///< end with the fastest of several speeds; with the faster of two
  double bias{};                ///< of the values of those found, mean of the logarithm
  double held{};                ///< of those found: their intervals hold the fastest speed
  double covered{}, suspect{};  ///< of all: so does the interval; it is wider than ±25 %, or there is none
  double wrong() const { return 1 - covered - suspect; }
};

/// Rows of so many rounds, in which the machine ran at 1, 0.8, 0.67 or 0.5 of its speed, in the shares given, and which
/// scatter normally besides.
OfSeveral of_several(std::discrete_distribution<int> shares, int rounds, double deviation = 0.03) {
  constexpr int rows = 1000;
  constexpr double speeds[] = {1, 0.8, 0.67, 0.5};
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  OfSeveral seen;
  int found = 0, held = 0;
  for (int i = 0; i < rows; ++i) {
    std::vector<double> medians;
    for (int round = 0; round < rounds; ++round)
      medians.push_back(speeds[shares(random)] * std::exp(deviation * normal(random)));
    const auto blocks = blocks_of(medians);
    const auto row = estimate(blocks, {.ceiling = true, .fastest_speed = true});
    const bool holds = row.low() <= 1 && 1 <= row.high();
    if (half_interval_percent(row).value_or(100) > 25)
      seen.suspect += 1.0 / rows;
    else if (holds)
      seen.covered += 1.0 / rows;
    if (row.estimator != Estimator::faster_speed) continue;
    if (faster_rounds(blocks, false).apart) {
      seen.two += 1.0 / rows;
      continue;
    }
    ++found;
    seen.bias += std::log(row.value);
    held += holds ? 1 : 0;
  }
  if (found > 0) {
    seen.bias /= found;
    seen.held = static_cast<double>(held) / found;
  }
  seen.found = static_cast<double>(found) / rows;
  const std::string of = "_" + std::to_string(std::lround(100 * shares.probabilities()[0])) + "_" +
                         std::to_string(rounds) + "_" + std::to_string(std::lround(100 * deviation));
  ::testing::Test::RecordProperty("several" + of, std::to_string(seen.found));
  ::testing::Test::RecordProperty("two" + of, std::to_string(seen.two));
  ::testing::Test::RecordProperty("bias" + of, std::to_string(seen.bias));
  ::testing::Test::RecordProperty("held" + of, std::to_string(seen.held));
  ::testing::Test::RecordProperty("covered" + of, std::to_string(seen.covered));
  ::testing::Test::RecordProperty("suspect" + of, std::to_string(seen.suspect));
  ::testing::Test::RecordProperty("wrong" + of, std::to_string(seen.wrong()));
  return seen;
}

/// With few rounds many rows have too few at the fastest speed, and most of these say so.
TEST(SeveralSpeeds, AreFoundAndTheirIntervalsHoldTheFastest) {
  for (const int rounds : {6, 8, 15, 25}) {
    const auto half_fast = of_several({0.5, 0.2, 0.2, 0.1}, rounds), seldom = of_several({0.3, 0.2, 0.2, 0.3}, rounds);
    EXPECT_LE(half_fast.wrong(), 0.07) << rounds;
    EXPECT_LE(seldom.wrong(), 0.12) << rounds;
    if (rounds < 15) continue;
    EXPECT_GE(half_fast.held, 0.95) << rounds;
    EXPECT_LE(std::abs(half_fast.bias), 0.01) << rounds;
    EXPECT_GE(half_fast.covered, 0.93) << rounds;
    EXPECT_GE(seldom.held, 0.9) << rounds;
    EXPECT_GE(seldom.covered, 0.8) << rounds;
  }
}

/// What the fastest rounds scatter among themselves would be too little: the slower ones of their speed are left out.
TEST(SeveralSpeeds, TheirIntervalsHoldAllOfTheirRounds) {
  EXPECT_GE(of_several({0.5, 0.2, 0.2, 0.1}, 25, 0.06).held, 0.93);
}

/// 40 rounds evenly between half of the speed and all of it: there is no speed but the greatest, which the fastest
/// rounds come the nearer the more there are.
TEST(SeveralSpeeds, OfRoundsThatSpreadEvenlyAreAtTheUpperEnd) {
  std::vector<double> medians;
  for (int i = 0; i < 40; ++i) medians.push_back(0.5 + 0.5 * ((7 * i) % 40) / 39.0);
  const auto row = estimate(blocks_of(medians), {.ceiling = true, .fastest_speed = true});
  EXPECT_EQ(row.estimator, Estimator::faster_speed);
  EXPECT_GT(row.value, 0.9);
  EXPECT_GE(row.high(), 1);
  EXPECT_LE(row.low(), 0.9);
  EXPECT_NEAR(row.median, 0.75, 0.01) << "what most blocks gave is kept beside it";
}

TEST(SeveralSpeeds, LeaveOutWhatACovariateCallsDisturbed) {
  auto blocks = blocks_of({74, 38, 58, 73, 45, 66, 40, 77, 90, 91, 92, 52, 39});
  for (Block& block : blocks) block.involuntary_switches = block.figure > 85 ? 1 : 0;
  const auto row = estimate(blocks, {.ceiling = true, .fastest_speed = true});
  EXPECT_EQ(row.estimator, Estimator::faster_speed);
  EXPECT_EQ(row.used_rounds, (std::vector<int>{0, 3, 7}));
  EXPECT_NEAR(row.value, 74, 1e-9);
  EXPECT_LE(row.low(), 73);
  EXPECT_GE(row.high(), 77);
}

TEST(Moments, OfSeveralSpeedsSayHowSlowEachWas) {
  const auto blocks = blocks_of({74, 73, 72, 62, 54, 46, 40}, 20);
  ASSERT_EQ(faster_rounds(blocks, false).rounds.size(), 3u);
  ASSERT_FALSE(faster_rounds(blocks, false).apart);
  const auto moments = moments_of(blocks, false);
  ASSERT_EQ(moments.size(), 7u);
  EXPECT_NEAR(slowdown_at(moments, 1040), 1, 1e-9);
  EXPECT_NEAR(slowdown_at(moments, 1060), 73.0 / 62, 1e-9);
  EXPECT_NEAR(slowdown_at(moments, 1120), 73.0 / 40, 1e-9);
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
  const auto seen = estimate(blocks, {.ceiling = true, .fastest_speed = true});
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
  const auto seen = estimate(blocks, {.ceiling = true, .fastest_speed = true});
  EXPECT_EQ(seen.estimator, Estimator::faster_speed);
  EXPECT_NEAR(seen.value, 63, 0.7);
  EXPECT_EQ(used_samples(seen), (std::vector<std::size_t>{3, 4, 5, 9, 10, 11, 24, 25, 26}));
}

TEST(Estimate, OfTwoSpeedsIsNotMadeWhereMostBlocksWereDisturbed) {
  auto blocks = blocks_of({36, 63, 35, 64, 63, 36});
  for (std::size_t i = 0; i < blocks.size() - 5; ++i) blocks[i].involuntary_switches = 1;
  const auto seen = estimate(blocks, {.ceiling = true, .fastest_speed = true});
  EXPECT_TRUE(rests_on_disturbed_blocks(seen));
  EXPECT_TRUE(seen.used_rounds.empty());
}

TEST(Estimate, OfAFasterSpeedSeenOnceAsksForAnotherRound) {
  const auto blocks = blocks_of({36, 36, 35, 36, 36, 63, 36, 36});
  const auto seen = estimate(blocks, {.ceiling = true, .fastest_speed = true});
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
