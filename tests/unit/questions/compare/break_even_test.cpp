#include "core/questions/compare/total_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/questions/compare/subject.hpp"
#include "tests/unit/questions/compare/two_machines.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

/// B is best as long as total B < 2 x total A.
TEST(TotalCost, TheValuesThatTurnTheDecision) {
  const TotalCost cost = total_cost(TwoMachines().compared(), assumed());
  EXPECT_NEAR(of(cost, Assumption::price, 1).at.value(), 2 * total_a - watt * 0.5 * 500, 1e-6);
  EXPECT_NEAR(of(cost, Assumption::price, 0).at.value(), total_b / 2 - watt * 0.5 * 400, 1e-6);
  EXPECT_EQ(of(cost, Assumption::price, 0).to, 0U);
  EXPECT_NEAR(of(cost, Assumption::power, 1).at.value(), (2 * total_a - 16000) / (watt * 0.5), 1e-6);
  // 2 (10000 + 400 k) > 16000 + 500 k for every k: no tariff, no number of years turns it
  EXPECT_FALSE(of(cost, Assumption::tariff).at);
  EXPECT_FALSE(of(cost, Assumption::years).at);
  EXPECT_FALSE(of(cost, Assumption::pue).at);
  EXPECT_FALSE(of(cost, Assumption::utilisation).at);
}

/// B at 19000 and 600 W, A at 10000 and 200 W are level where 2 (10000 + 200 k) = 19000 + 600 k: at k = 5, the cost of
/// a watt under load, which is tariff x 5 x 8766 h x 1.5 x 0.5 / 1000.
TEST(TotalCost, ATariffAtWhichTheHungryOneIsTooDear) {
  CostAssumptions all = assumed();
  all.capital = {10000, 19000};
  all.power_w = {200, 600};
  all.tariff_per_kwh = 0.1;
  const TotalCost cost = total_cost(TwoMachines().compared(), all);
  ASSERT_EQ(cost.best, 1U);
  EXPECT_EQ(cost.devices[0].power.basis, PowerBasis::stated);
  EXPECT_NEAR(of(cost, Assumption::tariff).at.value(), 5 / (5 * 8766 * 1.5 * 0.5 / 1000), 1e-9);
  EXPECT_NEAR(of(cost, Assumption::years).at.value(), 5 / (8766 * 0.1 * 1.5 * 0.5 / 1000), 1e-9);
  EXPECT_NEAR(of(cost, Assumption::pue).at.value(), 5 / (5 * 8766 * 0.1 * 0.5 / 1000), 1e-9);
  EXPECT_NEAR(of(cost, Assumption::utilisation).at.value(), 5 / (5 * 8766 * 0.1 * 1.5 / 1000), 1e-9);
  CostAssumptions turned = all;
  turned.tariff_per_kwh = *of(cost, Assumption::tariff).at * 1.01;
  EXPECT_EQ(total_cost(TwoMachines().compared(), turned).best, 0U) << "just beyond it A is best";
}

/// With share s of gemm (B 4 times as fast, softmax level) B's performance is 4^s.
TEST(TotalCost, TheShareOfTheLargestWeightThatTurnsTheDecision) {
  const TotalCost cost = total_cost(TwoMachines().compared({.weights = {{"gemm", 3}, {"softmax", 1}}}), assumed());
  EXPECT_NEAR(cost.devices[1].performance->value, std::pow(4, 0.75), 1e-12);
  const BreakEven& share = of(cost, Assumption::weight);
  EXPECT_EQ(share.name, "gemm");
  EXPECT_DOUBLE_EQ(share.now, 0.75);
  EXPECT_NEAR(share.at.value(), std::log(total_b / total_a) / std::log(4), 1e-12);
}

/// B draws 900 W in gemm and 300 W in softmax: with the share s of gemm its power is 300 + 600 s, its performance 4^s.
TEST(TotalCost, AnotherShareOfAWeightMeansAnotherPower) {
  TwoMachines two;
  two.b.result.points[0].conditions.power_w = 900;
  two.b.result.points[1].conditions.power_w = 300;
  const auto with = [&](double share) {
    return total_cost(two.compared({.weights = {{"gemm", share}, {"softmax", 1 - share}}}), assumed());
  };
  const TotalCost cost = with(0.75);
  ASSERT_EQ(cost.best, 1U);
  const double level = of(cost, Assumption::weight).at.value();
  const double total = 16000 + watt * 0.5 * (300 + 600 * level);
  EXPECT_NEAR(std::pow(4, level), total / total_a, 1e-9) << "as much faster as it is dearer";
  EXPECT_EQ(with(level + 0.001).best, 1U);
  EXPECT_EQ(with(level - 0.001).best, 0U);
}

/// 4^s = total B / total A at s = ln(total B / total A) / ln 4 of gemm. What is left of the rest when another name
/// takes x of the whole is 1 - x, and gemm's part of the rest is its part now.
TEST(TotalCost, EveryNameWhoseShareTurnsTheDecisionIsListed) {
  TwoMachines two;
  two.run("relu", 1, 1);
  for (NamedResult* source : {&two.a, &two.b})
    source->result.points.back().conditions.power_w = source == &two.a ? 400 : 500;
  const auto cost = total_cost(two.compared({.weights = {{"gemm", 5}, {"softmax", 3}, {"relu", 2}}}), assumed());
  std::vector<BreakEven> weights;
  std::ranges::copy_if(cost.break_evens, std::back_inserter(weights),
                       [](const BreakEven& one) { return one.assumption == Assumption::weight; });
  ASSERT_EQ(weights.size(), 3U);
  const double gemm = std::log(total_b / total_a) / std::log(4);
  EXPECT_EQ(weights[0].name, "gemm") << "the largest first";
  EXPECT_NEAR(weights[0].at.value(), gemm, 1e-9);
  EXPECT_EQ(weights[1].name, "softmax");
  EXPECT_NEAR(weights[1].at.value(), 1 - gemm * 0.7 / 0.5, 1e-9);
  EXPECT_NEAR(weights[2].at.value(), 1 - gemm * 0.8 / 0.5, 1e-9);
}

/// Each name costs hundreds of sums over all rows. Five times the names take about five times as long, to compare as
/// well; work that grows with their square, 25 times.
TEST(TotalCost, TimeGrowsWithTheNames) {
  const auto seconds = [](int names, bool costs) {
    TwoMachines two;
    for (int i = 0; i < names; ++i) two.run("kernel_" + std::to_string(i), 1, 0.9);
    for (int i = 0; i < names; i += 2) two.b.result.points[static_cast<std::size_t>(i)].params = "n=7";
    const std::clock_t start = std::clock();
    const auto compared = two.compared();
    if (costs) total_cost(compared, assumed());
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds(10'000, false), 12 * seconds(2'000, false));
  EXPECT_LT(seconds(1'000, true), 12 * seconds(200, true));
}

/// B does softmax, too, in half of the time, and costs 1.53 times as much: no share turns that.
TEST(TotalCost, AShareThatTurnsNothingIsTheLargestAlone) {
  TwoMachines two;
  two.b.result.points[1].time = test::made_up(1);
  const auto cost = total_cost(two.compared({.weights = {{"gemm", 3}, {"softmax", 1}}}), assumed());
  EXPECT_EQ(of(cost, Assumption::weight).name, "gemm");
  EXPECT_FALSE(of(cost, Assumption::weight).at);
}

/// B is 4^s times as fast with the share s of gemm, and level only without any of it.
TEST(TotalCost, NoShareAtAllTurnsNothing) {
  const TotalCost cost = ranking(TwoMachines().compared({.weights = {{"gemm", 3}, {"softmax", 1}}}));
  EXPECT_EQ(cost.best, 1U);
  EXPECT_FALSE(of(cost, Assumption::weight).at);
}

/// B is twice as fast within 2 x 0.99 / 1.01 … 2 x 1.01 / 0.99, and level where it is total B / total A times as fast.
TEST(TotalCost, PerformanceThatItsOwnIntervalLeavesOpenIsMarked) {
  const BreakEven clear = of(total_cost(TwoMachines().compared(), assumed()), Assumption::performance, 1);
  EXPECT_NEAR(clear.now, 2, 1e-12);
  EXPECT_NEAR(clear.at.value(), total_b / total_a, 1e-12);
  EXPECT_EQ(clear.to, 0U);
  EXPECT_FALSE(clear.within_interval);
  CostAssumptions dear = assumed();
  dear.capital[1] += 1.99 * total_a - total_b;
  const TotalCost close = total_cost(TwoMachines().compared(), dear);
  EXPECT_NEAR(of(close, Assumption::performance, 1).at.value(), 1.99, 1e-9);
  EXPECT_TRUE(of(close, Assumption::performance, 1).within_interval);
  EXPECT_FALSE(close.leads[0].decided());
}

/// B would be level with 100 W of idle power.
TEST(TotalCost, AnIdlePowerThatTurnsTheDecision) {
  CostAssumptions all = assumed();
  all.capital[1] += 2 * total_a - total_b - watt * 0.5 * 100;
  const TotalCost cost = total_cost(TwoMachines().compared(), all);
  ASSERT_EQ(cost.best, 1U);
  EXPECT_NEAR(of(cost, Assumption::idle_power, 1).at.value(), 100, 1e-6);
  EXPECT_FALSE(of(cost, Assumption::idle_power, 0).at) << "more of it makes A dearer";
  all.utilisation = 1;
  EXPECT_THROW(of(total_cost(TwoMachines().compared(), all), Assumption::idle_power, 1), Error)
      << "no hours without work";
}

/// With B at 20000 they are level where power A + idle power A = (500 + idle power B) / 2.
TEST(TotalCost, APowerBelowTheIdlePowerTurnsNothing) {
  CostAssumptions all = assumed();
  all.capital[1] = 20000;
  all.idle_power_w = {50, 100};
  EXPECT_NEAR(of(total_cost(TwoMachines().compared(), all), Assumption::power, 0).at.value(), 250, 1e-6);
  all.idle_power_w = {200, 100};
  EXPECT_FALSE(of(total_cost(TwoMachines().compared(), all), Assumption::power, 0).at) << "100 W, below its 200 W";
}

/// As in ATariffAtWhichTheHungryOneIsTooDear, at a hundredth of the tariff: 760 years, a PUE of 228.
TEST(TotalCost, WhatNoOptionTakesTurnsItAllTheSame) {
  CostAssumptions all = assumed();
  all.capital = {10000, 19000};
  all.power_w = {200, 600};
  all.tariff_per_kwh = 0.001;
  const TotalCost cost = total_cost(TwoMachines().compared(), all);
  EXPECT_NEAR(of(cost, Assumption::tariff).at.value(), 5 / (5 * 8766 * 1.5 * 0.5 / 1000), 1e-9);
  EXPECT_NEAR(of(cost, Assumption::years).at.value(), 5 / (8766 * 0.001 * 1.5 * 0.5 / 1000), 1e-6);
  EXPECT_NEAR(of(cost, Assumption::pue).at.value(), 5 / (5 * 8766 * 0.001 * 0.5 / 1000), 1e-6);
  EXPECT_FALSE(of(cost, Assumption::utilisation).at) << "76 times all hours are none";
}

/// C is 2^(1/2) times as fast as A and costs total C; B meets it before it meets A.
TEST(TotalCost, OfSeveralRivalsTheOneThatIsReachedFirst) {
  TwoMachines two;
  NamedResult c{"c.json", test::made_up_result("Third")};
  test::add_peak(c.result, DType::fp32, 1e11);
  test::add_memory(c.result, 1e10);
  test::add_point(c.result, "gemm", 1e9, 1e9, 2).conditions.power_w = 500;
  test::add_point(c.result, "softmax", 1e9, 1e9, 2).conditions.power_w = 500;
  Compared compared{subjects_of(std::vector{two.a, two.b, c}), {}, {}};
  compared.answer = compare(compared.subjects, compared.options);
  CostAssumptions all = assumed();
  all.capital.push_back(12000);
  const double total_c = 12000 + watt * 0.5 * 500;
  const TotalCost cost = total_cost(compared, all);
  ASSERT_EQ(cost.best, 1U);
  ASSERT_EQ(cost.leads.size(), 2U);
  EXPECT_NEAR(cost.leads[0].ratio->value, 2 * total_a / total_b, 1e-12);
  EXPECT_NEAR(cost.leads[1].ratio->value, std::sqrt(2) * total_c / total_b, 1e-12);
  EXPECT_EQ(of(cost, Assumption::price, 1).to, 2U);
  EXPECT_NEAR(of(cost, Assumption::price, 1).at.value(), std::sqrt(2) * total_c - watt * 0.5 * 500, 1e-6);
}

/// The times of B are 0.5 of A's, each within 1 %; B costs so much more that A is before it.
TEST(TotalCost, TheIntervalOfABaselineThatLeads) {
  CostAssumptions all = assumed();
  all.capital[1] = 40000;
  const TotalCost cost = total_cost(TwoMachines().compared(), all);
  const double dearer = (40000 + watt * 0.5 * 500) / total_a;
  ASSERT_EQ(cost.best, 0U);
  EXPECT_NEAR(cost.leads[0].ratio->value, 0.5 * dearer, 1e-12);
  EXPECT_NEAR(cost.leads[0].ratio->low.value(), 0.5 * 0.99 / 1.01 * dearer, 1e-12);
  EXPECT_NEAR(cost.leads[0].ratio->high.value(), 0.5 * 1.01 / 0.99 * dearer, 1e-12);
}

}  // namespace
}  // namespace gable::questions
