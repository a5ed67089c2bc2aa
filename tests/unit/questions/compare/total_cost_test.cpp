#include "core/questions/compare/total_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/questions/compare/repeats.hpp"
#include "core/questions/compare/row_weights.hpp"
#include "tests/unit/questions/made_up.hpp"

// Two machines made up so that every answer can be had by hand: B does gemm in 1/4 and softmax in 1/1 of A's time, so
// twice as fast by the geometric mean; at 400 W and 500 W.
namespace gable::questions {
namespace {

struct TwoMachines {
  NamedResult a{"a.json", test::made_up_result("Slow")}, b{"b.json", test::made_up_result("Fast")};
  TwoMachines() {
    for (NamedResult* source : {&a, &b}) {
      test::add_peak(source->result, DType::fp32, 1e11);
      test::add_memory(source->result, 1e10);
    }
    run("gemm", 4, 1);
    run("softmax", 2, 2);
    for (Point& point : a.result.points) point.conditions.power_w = 400;
    for (Point& point : b.result.points) point.conditions.power_w = 500;
  }
  void run(const std::string& op, double time_a, double time_b) {
    test::add_point(a.result, op, 1e9, 1e9, time_a);
    test::add_point(b.result, op, 1e9, 1e9, time_b);
  }
  Compared compared(CompareOptions options = {}) const {
    Compared all{subjects_of(std::vector{a, b}), std::move(options), {}};
    all.answer = compare(all.subjects, all.options);
    return all;
  }
};

/// A costs 10000, B 16000; 5 years at 0.2 a kWh, PUE 1.5, half of the time at work.
CostAssumptions assumed() {
  CostAssumptions all;
  all.capital = {10000, 16000};
  all.years = 5;
  all.tariff_per_kwh = 0.2;
  all.pue = 1.5;
  all.utilisation = 0.5;
  return all;
}

/// Cost of a watt that is drawn in all hours of the five years: 5 x 8766 h x 1.5 x 0.2 / 1000.
constexpr double watt = 5 * 8766 * 1.5 * 0.2 / 1000;
constexpr double total_a = 10000 + watt * 0.5 * 400, total_b = 16000 + watt * 0.5 * 500;

const BreakEven& of(const TotalCost& cost, Assumption assumption, std::optional<std::size_t> subject = {}) {
  const auto found = std::ranges::find_if(
      cost.break_evens, [&](const BreakEven& one) { return one.assumption == assumption && one.subject == subject; });
  if (found == cost.break_evens.end()) throw Error("no such assumption");
  return *found;
}

TEST(TotalCost, IsWhatIsPaidOnceAndTheEnergyOfTheYears) {
  const TotalCost cost = total_cost(TwoMachines().compared(), assumed());
  ASSERT_EQ(cost.devices.size(), 2U);
  EXPECT_NEAR(cost.devices[0].energy_kwh, 5 * 8766 * 0.5 * 0.4 * 1.5, 1e-9);
  EXPECT_NEAR(cost.devices[0].energy_cost, 2629.8, 1e-9);  // 13149 kWh x 0.2
  EXPECT_NEAR(cost.devices[0].total, total_a, 1e-9);
  EXPECT_NEAR(cost.devices[1].total, total_b, 1e-9);
  EXPECT_EQ(cost.devices[0].power.basis, PowerBasis::measured);
  EXPECT_EQ(cost.devices[0].power.rows, 2U);
}

TEST(TotalCost, IdlePowerCountsInTheOtherHours) {
  CostAssumptions all = assumed();
  all.idle_power_w = {100, {}};
  const TotalCost cost = total_cost(TwoMachines().compared(), all);
  EXPECT_NEAR(cost.devices[0].total, 10000 + watt * (0.5 * 400 + 0.5 * 100), 1e-9);
  EXPECT_NEAR(cost.devices[1].total, total_b, 1e-9);
}

TEST(TotalCost, PerformancePerCostAndPerWattWithTheIntervalsOfTheTimes) {
  const TotalCost cost = total_cost(TwoMachines().compared(), assumed());
  EXPECT_EQ(cost.rows, 2U);
  const OwnedDevice& b = cost.devices[1];
  EXPECT_NEAR(b.performance->value, 2, 1e-12);  // (4 x 1)^(1/2)
  EXPECT_NEAR(b.performance->low.value(), 2 * 0.99 / 1.01, 1e-12);
  EXPECT_NEAR(b.per_cost->value, 2 * total_a / total_b, 1e-12);
  EXPECT_NEAR(b.per_cost->high.value(), 2 * 1.01 / 0.99 * total_a / total_b, 1e-12);
  EXPECT_NEAR(b.per_watt->value, 2 * 400.0 / 500, 1e-12);
  EXPECT_DOUBLE_EQ(cost.devices[0].per_cost->value, 1);
  EXPECT_EQ(cost.best, 1U);
  ASSERT_EQ(cost.leads.size(), 1U);
  EXPECT_NEAR(cost.leads[0].ratio->value, 2 * total_a / total_b, 1e-12);
  EXPECT_EQ(cost.leads[0].ratio->difference(), Difference::beyond_these_runs);
}

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

/// B does softmax, too, in half of the time, and costs 1.53 times as much: no share turns that.
TEST(TotalCost, AShareThatTurnsNothingIsTheLargestAlone) {
  TwoMachines two;
  two.b.result.points[1].time = test::made_up(1);
  const auto cost = total_cost(two.compared({.weights = {{"gemm", 3}, {"softmax", 1}}}), assumed());
  EXPECT_EQ(of(cost, Assumption::weight).name, "gemm");
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
TEST(TotalCost, WhatNoOptionTakesTurnsNothing) {
  CostAssumptions all = assumed();
  all.capital = {10000, 19000};
  all.power_w = {200, 600};
  all.tariff_per_kwh = 0.001;
  const TotalCost cost = total_cost(TwoMachines().compared(), all);
  EXPECT_NEAR(of(cost, Assumption::tariff).at.value(), 5 / (5 * 8766 * 1.5 * 0.5 / 1000), 1e-9);
  EXPECT_FALSE(of(cost, Assumption::years).at);
  EXPECT_FALSE(of(cost, Assumption::pue).at);
  EXPECT_FALSE(of(cost, Assumption::utilisation).at);
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

/// Power is weighted as the performance: 0.75 x 400 + 0.25 x 600.
TEST(TotalCost, PowerIsTheMeanOfTheRowsThatCount) {
  TwoMachines two;
  two.a.result.points[1].conditions.power_w = 600;
  two.b.result.points[1].conditions.power_w.reset();
  const auto compared = two.compared({.weights = {{"gemm", 3}, {"softmax", 1}}});
  const TotalCost cost = total_cost(compared, assumed());
  EXPECT_NEAR(cost.devices[0].power.watt, 450, 1e-9);
  EXPECT_EQ(cost.devices[0].power.least_w, 400);
  EXPECT_EQ(cost.devices[0].power.most_w, 600);
  EXPECT_EQ(cost.devices[0].power.meter, PowerMeter::packages);
  EXPECT_EQ(cost.devices[1].power.watt, 500);
  EXPECT_EQ(cost.devices[1].power.rows, 1U);
  EXPECT_EQ(cost.devices[1].power.of_rows, 2U);
}

/// The median of 300 W and 200 W; a chain of loads, at 50 W, is no load.
TEST(TotalCost, PowerOfOtherRowsHasABasisOfItsOwn) {
  TwoMachines two;
  for (Point& point : two.b.result.points) point.conditions.power_w.reset();
  two.b.result.ceilings[0].conditions.power_w = 300;
  two.b.result.ceilings[1].conditions.power_w = 200;
  test::add_row(two.b.result, CeilingKind::latency, "L1", "s", 1e-9).conditions.power_w = 50;
  const DevicePower power = total_cost(two.compared(), assumed()).devices[1].power;
  EXPECT_EQ(power.basis, PowerBasis::other_rows);
  EXPECT_EQ(power.watt, 250);
  EXPECT_EQ(power.rows, 2U);
  EXPECT_EQ(power.of_rows, 4U);
}

TEST(TotalCost, APowerCapBelowTheThermalDesignPowerIsWhatADeviceDraws) {
  TwoMachines two;
  for (Point& point : two.b.result.points) point.conditions.power_w.reset();
  two.b.result.devices[0].facts = {{"power cap", "package-0 200 W, package-1 150 W", ""}};
  Compared compared = two.compared();
  compared.subjects[1].tdp_w = 700;
  EXPECT_EQ(total_cost(compared, assumed()).devices[1].power.watt, 350);
  EXPECT_EQ(total_cost(compared, assumed()).devices[1].power.basis, PowerBasis::power_cap);
  compared.subjects[1].tdp_w = 300;
  EXPECT_EQ(total_cost(compared, assumed()).devices[1].power.watt, 300);
  EXPECT_EQ(total_cost(compared, assumed()).devices[1].power.basis, PowerBasis::tdp);
}

/// 1e9 byte at 1e10 byte/s take 0.1 s at least.
TEST(TotalCost, RowsAboveTheirRoofAreCounted) {
  TwoMachines two;
  EXPECT_EQ(total_cost(two.compared(), assumed()).rows_above_roof, 0U);
  two.run("relu", 1, 0.05);
  EXPECT_EQ(total_cost(two.compared(), assumed()).rows_above_roof, 1U);
}

TEST(TotalCost, RowsOfACoreAreNoPerformanceOfADevice) {
  TwoMachines two;
  for (NamedResult* source : {&two.a, &two.b}) {
    for (Point& point : source->result.points) point.scope = Scope::core;
  }
  CostAssumptions all = assumed();
  all.power_w = {400, 500};
  const TotalCost cost = total_cost(two.compared(), all);
  EXPECT_FALSE(cost.devices[1].performance);
  EXPECT_FALSE(cost.best);
  EXPECT_EQ(cost.undecided, Undecided::narrow_scope);
}

TEST(TotalCost, ATotalOfNothingAndAnIdlePowerAboveTheLoadAreRefused) {
  CostAssumptions all = assumed();
  all.capital = {0, 0};
  all.tariff_per_kwh = 0;
  EXPECT_THROW(total_cost(TwoMachines().compared(), all), Error);
  all = assumed();
  all.idle_power_w = {100, 501};
  EXPECT_THROW(total_cost(TwoMachines().compared(), all), Error) << "B draws 500 W under load";
  all.idle_power_w = {100, 500};
  EXPECT_NO_THROW(total_cost(TwoMachines().compared(), all));
}

/// 700 W x 1.1 = 770 W: 77 kW carry 100, which doubles divide to a hair less.
TEST(TotalCost, ABudgetCarriesTheLastDeviceThatFits) {
  CostAssumptions all = assumed();
  all.power_w = {700, 700};
  all.pue = 1.1;
  const auto carries = [&](double watts) {
    all.power_budget_w = watts;
    return total_cost(TwoMachines().compared(), all).devices[0].devices.value();
  };
  EXPECT_EQ(carries(77000), 100);
  EXPECT_EQ(carries(77700), 100);
  EXPECT_EQ(carries(76900), 99);
}

/// 10 kW at PUE 1.5 carry floor(10000 / 600) = 16 of A and floor(10000 / 750) = 13 of B, each twice as fast.
TEST(TotalCost, APowerBudgetIsRankedByAllThatItCarries) {
  CostAssumptions all = assumed();
  all.power_budget_w = 10000;
  const TotalCost cost = total_cost(TwoMachines().compared(), all);
  EXPECT_EQ(cost.devices[0].devices, 16);
  EXPECT_EQ(cost.devices[1].devices, 13);
  EXPECT_NEAR(cost.devices[1].whole->value, 26, 1e-9);
  EXPECT_EQ(cost.best, 1U);
  EXPECT_NEAR(cost.leads[0].ratio->value, 26.0 / 16, 1e-12);
  EXPECT_NEAR(of(cost, Assumption::power, 1).at.value(), 2 * 400, 1e-9);
  EXPECT_THROW(of(cost, Assumption::tariff), Error) << "a power budget has no tariff";
}

TEST(TotalCost, AMoneyBudgetPaysForWholeDevices) {
  CostAssumptions all = assumed();
  all.money_budget = 100000;  // of 12629.8 and 19287.25
  const TotalCost cost = total_cost(TwoMachines().compared(), all);
  EXPECT_EQ(cost.devices[0].devices, 7);
  EXPECT_EQ(cost.devices[1].devices, 5);
  EXPECT_NEAR(cost.leads[0].ratio->value, 10.0 / 7, 1e-12);
  all.money_budget = 13000;
  const TotalCost one = total_cost(TwoMachines().compared(), all);
  EXPECT_EQ(one.best, 0U);
  EXPECT_FALSE(one.leads[0].ratio) << "no B is paid for";
  EXPECT_TRUE(one.leads[0].by_rounding);
  EXPECT_TRUE(one.break_evens.empty());
  all.money_budget = 100;
  EXPECT_THROW(total_cost(TwoMachines().compared(), all), Error);
}

TEST(TotalCost, ADatasheetHasItsThermalDesignPowerAndNoPerformance) {
  const auto& entry = catalogue::find_device("H200 SXM 141GB");
  TwoMachines two;
  Compared compared{subjects_of(std::vector{two.a}), {}, {}};
  compared.subjects.push_back(subject_of(entry));
  compared.answer = compare(compared.subjects, compared.options);
  const TotalCost cost = total_cost(compared, assumed());
  EXPECT_EQ(cost.devices[1].power.basis, PowerBasis::tdp);
  EXPECT_EQ(cost.devices[1].power.watt, entry.tdp_w);
  EXPECT_FALSE(cost.devices[1].performance);
  EXPECT_FALSE(cost.best);
  EXPECT_EQ(cost.undecided, Undecided::one_measured);
  EXPECT_EQ(cost.devices[0].power.basis, PowerBasis::other_rows);
  EXPECT_EQ(cost.devices[0].power.rows, 2U);
  EXPECT_EQ(cost.devices[0].power.of_rows, 4U) << "two operators and two ceilings";
}

/// The budget pays for the datasheet's device alone: 100 + 6.5745 x its TDP, of 700 W.
TEST(TotalCost, NobodyLeadsWhoIsNotPaidFor) {
  const TwoMachines two;
  Compared compared{subjects_of(std::vector{two.a, two.b}), {}, {}};
  compared.subjects.push_back(subject_of(catalogue::find_device("H200 SXM 141GB")));
  compared.answer = compare(compared.subjects, compared.options);
  CostAssumptions all = assumed();
  all.capital.push_back(100);
  all.money_budget = 5000;
  const TotalCost cost = total_cost(compared, all);
  EXPECT_EQ(cost.devices[0].devices, 0);
  EXPECT_EQ(cost.devices[2].devices, 1);
  EXPECT_FALSE(cost.best);
  EXPECT_EQ(cost.undecided, Undecided::budget);
}

TEST(TotalCost, APowerThatNobodyKnowsIsAsked) {
  TwoMachines two;
  for (Point& point : two.b.result.points) point.conditions.power_w.reset();
  try {
    total_cost(two.compared(), assumed());
    FAIL() << "B has no power";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no power of Fast"), std::string::npos) << error.what();
  }
}

/// gemm is on A and B, and on A and C in other sizes than on B.
TEST(TotalCost, AWeightWithoutARowOnAllSidesIsRefused) {
  TwoMachines two;
  test::add_point(two.a.result, "gemm", 1e9, 1e9, 1).params = "n=2000";
  NamedResult c{"c.json", test::made_up_result("Third")};
  test::add_point(c.result, "gemm", 1e9, 1e9, 1).params = "n=2000";
  Compared compared{subjects_of(std::vector{two.a, two.b, c}), {.weights = {{"gemm", 1}}}, {}};
  compared.answer = compare(compared.subjects, compared.options);
  CostAssumptions all = assumed();
  all.capital.push_back(1);
  all.power_w = {1, 1, 1};
  EXPECT_THROW(total_cost(compared, all), Error);
}

TEST(Weights, ByNameOfOperatorOrCase) {
  TwoMachines two;
  two.run("gemm", 3, 3);
  two.a.result.points.back().params = two.b.result.points.back().params = "n=2000";
  two.a.result.points[1].label = "router";
  const Compared compared = two.compared({.weights = {{"gemm", 2}, {"router", 1}}});
  const std::size_t b = 1;
  const auto weights = row_weights(rows_of_all(compared.answer.operators, std::span(&b, 1)), compared.options);
  ASSERT_EQ(weights.size(), 3U);
  EXPECT_DOUBLE_EQ(weights[0].share, 1 / 3.0);  // two sizes of gemm share 2 of 3
  EXPECT_DOUBLE_EQ(weights[1].share, 1 / 3.0);
  EXPECT_EQ(weights[2].row->key.op, "softmax");
  EXPECT_DOUBLE_EQ(weights[2].share, 1 / 3.0);
  // (4^1 x 1 x 1)^(1/3)
  EXPECT_NEAR(compared.answer.means[1]->ratio.value, std::cbrt(4), 1e-12);
}

TEST(Weights, NamesThatFitNothingOrARowTwiceAreRefused) {
  const auto said = [](const TwoMachines& two, std::vector<NamedWeight> weights) -> std::string {
    try {
      two.compared({.weights = std::move(weights)});
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(said({}, {{"gemmm", 1}}).find("'gemmm' is no operator or case of Slow; its operators: gemm, softmax"),
            std::string::npos)
      << said({}, {{"gemmm", 1}});
  EXPECT_NE(said({}, {{"gemm", 1}, {"gemm fp32 n=1000 (cold)", 1}}).find("both weigh gemm fp32"), std::string::npos);
  TwoMachines lacking;
  lacking.b.result.points.pop_back();
  EXPECT_NE(said(lacking, {{"softmax", 1}}).find("Fast has no 'softmax'"), std::string::npos);
}

}  // namespace
}  // namespace gable::questions
