#include "core/analysis/total_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/analysis/repeats.hpp"
#include "core/analysis/row_weights.hpp"
#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "made_up.hpp"

// Two machines made up so that every answer can be had by hand: B does gemm in 1/4 and softmax in 1/1 of A's time, so
// twice as fast by the geometric mean; at 400 W and 500 W.
namespace gable::analysis {
namespace {

struct Two {
  Source a{"a.json", test::made_up_result("Slow")}, b{"b.json", test::made_up_result("Fast")};
  Two() {
    for (Source* source : {&a, &b}) {
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
  const TotalCost cost = total_cost(Two().compared(), assumed());
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
  const TotalCost cost = total_cost(Two().compared(), all);
  EXPECT_NEAR(cost.devices[0].total, 10000 + watt * (0.5 * 400 + 0.5 * 100), 1e-9);
  EXPECT_NEAR(cost.devices[1].total, total_b, 1e-9);
}

TEST(TotalCost, PerformancePerCostAndPerWattWithTheIntervalsOfTheTimes) {
  const TotalCost cost = total_cost(Two().compared(), assumed());
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
  const TotalCost cost = total_cost(Two().compared(), assumed());
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
  const TotalCost cost = total_cost(Two().compared(), all);
  ASSERT_EQ(cost.best, 1U);
  EXPECT_EQ(cost.devices[0].power.basis, PowerBasis::stated);
  EXPECT_NEAR(of(cost, Assumption::tariff).at.value(), 5 / (5 * 8766 * 1.5 * 0.5 / 1000), 1e-9);
  EXPECT_NEAR(of(cost, Assumption::years).at.value(), 5 / (8766 * 0.1 * 1.5 * 0.5 / 1000), 1e-9);
  EXPECT_NEAR(of(cost, Assumption::pue).at.value(), 5 / (5 * 8766 * 0.1 * 0.5 / 1000), 1e-9);
  EXPECT_NEAR(of(cost, Assumption::utilisation).at.value(), 5 / (5 * 8766 * 0.1 * 1.5 / 1000), 1e-9);
  CostAssumptions turned = all;
  turned.tariff_per_kwh = *of(cost, Assumption::tariff).at * 1.01;
  EXPECT_EQ(total_cost(Two().compared(), turned).best, 0U) << "just beyond it A is best";
}

/// With share s of gemm (B 4 times as fast, softmax level) B's performance is 4^s.
TEST(TotalCost, TheShareOfTheLargestWeightThatTurnsTheDecision) {
  const TotalCost cost = total_cost(Two().compared({.weights = {{"gemm", 3}, {"softmax", 1}}}), assumed());
  EXPECT_NEAR(cost.devices[1].performance->value, std::pow(4, 0.75), 1e-12);
  const BreakEven& share = of(cost, Assumption::weight);
  EXPECT_EQ(share.name, "gemm");
  EXPECT_DOUBLE_EQ(share.now, 0.75);
  EXPECT_NEAR(share.at.value(), std::log(total_b / total_a) / std::log(4), 1e-12);
}

/// B draws 900 W in gemm and 300 W in softmax: with the share s of gemm its power is 300 + 600 s, its performance 4^s.
TEST(TotalCost, AnotherShareOfAWeightMeansAnotherPower) {
  Two two;
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

/// Power is weighted as the performance: 0.75 x 400 + 0.25 x 600.
TEST(TotalCost, PowerIsTheMeanOfTheRowsThatCount) {
  Two two;
  two.a.result.points[1].conditions.power_w = 600;
  const auto compared = two.compared({.weights = {{"gemm", 3}, {"softmax", 1}}});
  EXPECT_NEAR(total_cost(compared, assumed()).devices[0].power.watt, 450, 1e-9);
}

/// 10 kW at PUE 1.5 carry floor(10000 / 600) = 16 of A and floor(10000 / 750) = 13 of B, each twice as fast.
TEST(TotalCost, APowerBudgetIsRankedByAllThatItCarries) {
  CostAssumptions all = assumed();
  all.power_budget_w = 10000;
  const TotalCost cost = total_cost(Two().compared(), all);
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
  const TotalCost cost = total_cost(Two().compared(), all);
  EXPECT_EQ(cost.devices[0].devices, 7);
  EXPECT_EQ(cost.devices[1].devices, 5);
  EXPECT_NEAR(cost.leads[0].ratio->value, 10.0 / 7, 1e-12);
  all.money_budget = 13000;
  const TotalCost one = total_cost(Two().compared(), all);
  EXPECT_EQ(one.best, 0U);
  EXPECT_FALSE(one.leads[0].ratio) << "no B is paid for";
  EXPECT_TRUE(one.leads[0].by_rounding);
  EXPECT_TRUE(one.break_evens.empty());
  all.money_budget = 100;
  EXPECT_THROW(total_cost(Two().compared(), all), Error);
}

TEST(TotalCost, ADatasheetHasItsThermalDesignPowerAndNoPerformance) {
  const auto& entry = catalogue::find_device("H200 SXM 141GB");
  Two two;
  Compared compared{subjects_of(std::vector{two.a}), {}, {}};
  compared.subjects.push_back(subject_of(entry));
  compared.answer = compare(compared.subjects, compared.options);
  const TotalCost cost = total_cost(compared, assumed());
  EXPECT_EQ(cost.devices[1].power.basis, PowerBasis::tdp);
  EXPECT_EQ(cost.devices[1].power.watt, entry.tdp_w);
  EXPECT_FALSE(cost.devices[1].performance);
  EXPECT_FALSE(cost.best);
  EXPECT_EQ(cost.devices[0].power.rows, 2U) << "the median over all rows, where none counts";
}

TEST(TotalCost, APowerThatNobodyKnowsIsAsked) {
  Two two;
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
  Two two;
  test::add_point(two.a.result, "gemm", 1e9, 1e9, 1).params = "n=2000";
  Source c{"c.json", test::made_up_result("Third")};
  test::add_point(c.result, "gemm", 1e9, 1e9, 1).params = "n=2000";
  Compared compared{subjects_of(std::vector{two.a, two.b, c}), {.weights = {{"gemm", 1}}}, {}};
  compared.answer = compare(compared.subjects, compared.options);
  CostAssumptions all = assumed();
  all.capital.push_back(1);
  all.power_w = {1, 1, 1};
  EXPECT_THROW(total_cost(compared, all), Error);
}

TEST(Weights, ByNameOfOperatorOrCase) {
  Two two;
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
  const auto said = [](const Two& two, std::vector<NamedWeight> weights) -> std::string {
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
  Two lacking;
  lacking.b.result.points.pop_back();
  EXPECT_NE(said(lacking, {{"softmax", 1}}).find("Fast has no 'softmax'"), std::string::npos);
}

}  // namespace
}  // namespace gable::analysis
