// The rule on figures whose median, MAD and losses are computed by hand.
#include "core/questions/campaign/flag_rule.hpp"

#include <gtest/gtest.h>

namespace gable::campaign {
namespace {

/// `count` figures around 100: half of them 100 - d, half 100 + d, so the median is 100 and the MAD d / 100.
std::vector<FleetFigure> around_hundred(std::size_t count, double d) {
  std::vector<FleetFigure> figures;
  for (std::size_t i = 0; i < count; ++i) figures.push_back({i % 2 == 0 ? 100 - d : 100 + d});
  return figures;
}

TEST(FlagRule, SpreadByHand) {
  const std::vector<FleetFigure> figures{{8, 7, 9}, {10, 9.5, 10.5}, {12, 11.4, 12.6}};
  const FleetSpread spread = spread_of(figures);
  EXPECT_EQ(spread.median, 10);
  EXPECT_NEAR(spread.mad, 0.2, 1e-12);          // of 0.2, 0, 0.2
  EXPECT_NEAR(spread.half_width, 0.05, 1e-12);  // of 1/8, 1/20, 1/20
  EXPECT_NEAR(spread.scale, 1.4826 * 0.2, 1e-12);
  EXPECT_EQ(spread.least, 8);
  EXPECT_EQ(spread.at_least, 0u);
  EXPECT_EQ(spread.most, 12);
  EXPECT_EQ(spread.at_most, 2u);
}

TEST(FlagRule, ScaleIsTheLargestOfThree) {
  EXPECT_DOUBLE_EQ(spread_of(around_hundred(40, 0)).scale, 0.003);
  EXPECT_NEAR(spread_of(around_hundred(40, 1)).scale, 0.014826, 1e-9);
  auto wide = around_hundred(40, 1);
  for (FleetFigure& one : wide) {
    one.low = one.value * 0.9;
    one.high = one.value * 1.1;
  }
  EXPECT_NEAR(spread_of(wide).scale, 0.1, 1e-9);
}

TEST(FlagRule, LossOfRatesAndTimes) {
  EXPECT_DOUBLE_EQ(loss_of(90, 100, true), 0.1);
  EXPECT_DOUBLE_EQ(loss_of(110, 100, false), 110.0 / 100 - 1);
  EXPECT_LT(loss_of(110, 100, true), 0);
}

TEST(FlagRule, BothLimitsMustBeExceeded) {
  // scale 0.3 %: five of them are 1.5 %, so 3 % decides
  const FleetSpread quiet = spread_of(around_hundred(32, 0));
  EXPECT_EQ(judge_by_fleet({97.1}, quiet, true), NodeVerdict::pass);
  EXPECT_EQ(judge_by_fleet({96.9}, quiet, true), NodeVerdict::flagged);
  EXPECT_EQ(judge_by_fleet({103.1}, quiet, false), NodeVerdict::flagged);
  EXPECT_EQ(judge_by_fleet({103.1}, quiet, true), NodeVerdict::pass);
  // scale 1.4826 %: five of them are 7.4 %
  const FleetSpread noisy = spread_of(around_hundred(32, 1));
  EXPECT_EQ(judge_by_fleet({93}, noisy, true), NodeVerdict::pass);
  EXPECT_EQ(judge_by_fleet({92.5}, noisy, true), NodeVerdict::flagged);
}

TEST(FlagRule, AnIntervalThatReachesTheMedianIsNoFault) {
  const FleetSpread quiet = spread_of(around_hundred(32, 0));
  EXPECT_EQ(judge_by_fleet({90, 80.0, 100.0}, quiet, true), NodeVerdict::pass);
  EXPECT_EQ(judge_by_fleet({90, 80.0, 99.9}, quiet, true), NodeVerdict::flagged);
}

TEST(FlagRule, FewNodesAreMeasuredAgainOrNotJudged) {
  EXPECT_EQ(judge_by_fleet({50}, spread_of(around_hundred(32, 0)), true), NodeVerdict::flagged);
  EXPECT_EQ(judge_by_fleet({50}, spread_of(around_hundred(31, 0)), true), NodeVerdict::retest);
  EXPECT_EQ(judge_by_fleet({50}, spread_of(around_hundred(8, 0)), true), NodeVerdict::retest);
  EXPECT_EQ(judge_by_fleet({50}, spread_of(around_hundred(7, 0)), true), NodeVerdict::unjudged);
}

TEST(FlagRule, ByAReferenceTheWholeIntervalMustBeWorse) {
  EXPECT_EQ(judge_by_reference({89, 88, 89.9}, 100, 0.1, true), NodeVerdict::flagged);
  EXPECT_EQ(judge_by_reference({89, 88, 90.1}, 100, 0.1, true), NodeVerdict::pass);
  // of times: 100 / 112 of the reference's speed is less than 90 %, 100 / 111 is not
  EXPECT_EQ(judge_by_reference({112}, 100, 0.1, false), NodeVerdict::flagged);
  EXPECT_EQ(judge_by_reference({111}, 100, 0.1, false), NodeVerdict::pass);
}

}  // namespace
}  // namespace gable::campaign
