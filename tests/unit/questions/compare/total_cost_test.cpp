// Two machines made up so that every answer can be had by hand: B does gemm in 1/4 and softmax in 1/1 of A's time, so
// twice as fast by the geometric mean; at 400 W and 500 W.
#include "core/questions/compare/total_cost.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/subject.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/compare/two_machines.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

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
  EXPECT_NE(error_of([&] { total_cost(two.compared(), assumed()); }).find("no power of Fast"), std::string::npos);
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

}  // namespace
}  // namespace gable::questions
