// Points beside main memory that changes its speed.
#include "core/verdict/memory_speed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/operator.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/questions/explain/explanation.hpp"
#include "core/questions/report/report.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/unit/questions/made_up.hpp"
#include "tests/unit/verdict/memory_rounds.hpp"

namespace gable {
namespace {

/// At 80 GB/s 1 GB takes 12.5 ms, at 40 GB/s 25 ms: in every single round the point is at its roof. By the rows'
/// figures, 60 GB/s and 25 ms, it would reach two thirds of it.
TEST(MemorySpeed, APointIsComparedWithMemoryAsItWasInItsMoments) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3, 25e-3});
  ASSERT_DOUBLE_EQ(result.points[0].time.value, 25e-3);
  ASSERT_DOUBLE_EQ(result.ceilings[0].value.value, 60e9);
  set_verdicts(result);
  const Point& point = result.points[0];
  EXPECT_EQ(point.compared_rounds, 4) << "the fifth has no round of memory near";
  EXPECT_NEAR(point.fraction_of_limit.value(), 1, 1e-12);
  EXPECT_NEAR(point.bound_s.value(), 25e-3, 1e-12);
  EXPECT_EQ(point.regime, Regime::memory_bound);
  EXPECT_EQ(point.limit, "DRAM triad (ordinary)");
  const auto text = report::text(result, 200);
  EXPECT_NE(text.find("100.0 %~"), std::string::npos) << text;
  EXPECT_NE(text.find("~ main memory changed its speed during the run"), std::string::npos) << text;

  const auto answer = questions::explain(questions::FastestRuns(result), point, operator_specs());
  EXPECT_NEAR(*answer.point.fraction_of_limit, 1, 1e-12) << "explain says the same as report";
  EXPECT_NEAR(answer.point.fraction_low.value(), 1, 1e-12);
  EXPECT_NEAR(answer.limit_value.value(), 60e9, 1) << "the row's figure";

  const std::vector<NamedResult> sources{{"r.json", result}};
  const auto compared = questions::compare(questions::subjects_of(sources)).operators.at(0).cells[0]->verdict;
  EXPECT_NEAR(*compared.fraction_of_limit, 1, 1e-12) << "so does compare";
  EXPECT_EQ(compared.compared_rounds, 4);
}

/// Shares of 0.5, 0.6, 0.8 and 0.6; their logarithms have the mean ln 0.6160 and the standard error 0.0971, times 3.182
/// (Student's t of three degrees of freedom) 0.3091.
TEST(MemorySpeed, TheIntervalIsThatOfTheRounds) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3 / 0.5, 25e-3 / 0.6, 12.5e-3 / 0.8, 25e-3 / 0.6});
  set_verdicts(result);
  const auto answer = questions::explain(questions::FastestRuns(result), result.points[0], operator_specs());
  EXPECT_NEAR(*answer.point.fraction_of_limit, 0.6, 1e-12);
  EXPECT_NEAR(answer.point.fraction_low.value(), 0.6160 * std::exp(-0.3091), 1e-3);
  EXPECT_NEAR(answer.point.fraction_high.value(), 0.6160 * std::exp(0.3091), 1e-3);
}

/// Six rounds in 3 s beside one round of memory, and two beside others: the six tell the share of one moment, and the
/// median of three moments is that of the other two.
TEST(MemorySpeed, RoundsBesideOneRoundOfMemoryAreOneFigure) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {10e-3, 10e-3, 10e-3, 10e-3, 10e-3, 10e-3, 12.5e-3, 25e-3});
  auto& ends = result.points[0].time.ended_s;
  for (std::size_t i = 0; i < 6; ++i) ends[i] = begin_s + 0.5 * static_cast<double>(i);
  ends[6] = begin_s + 2 * a_round_s;
  ends[7] = begin_s + 3 * a_round_s;
  result.points[0].time.ci_low = 5e-3;
  result.points[0].time.ci_high = 50e-3;
  Result two = result;
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 3);
  EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 1, 1e-12) << "of 1.25, 1 and 1";
  // Their logarithms have the mean 0.0744 and the standard error 0.0744, times 4.303 (two degrees of freedom) 0.3201.
  const auto answer = questions::explain(questions::FastestRuns(result), result.points[0], operator_specs());
  EXPECT_NEAR(answer.point.fraction_low.value(), std::exp(0.0744 - 0.3201), 1e-3);
  EXPECT_NEAR(answer.point.fraction_high.value(), std::exp(0.0744 + 0.3201), 1e-3);
  two.points[0].time.ended_s[7] = two.points[0].time.ended_s[6];
  set_verdicts(two);
  EXPECT_EQ(two.points[0].compared_rounds, 0) << "two moments are too few";
}

/// A point whose bytes are read to five sixths, between triad and reading alone, and both streams in the same rounds.
Result between_two_streams() {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3});
  Stage& stage = result.points[0].stages[0];
  stage.bytes_read = 1e9 * 5 / 6;
  stage.bytes_written = 1e9 / 6;
  Ceiling reading = result.ceilings[0];
  reading.id = "reading";
  reading.access = Access::read;
  reading.stores = Stores::none;
  result.ceilings.push_back(reading);
  return result;
}

/// Reading was measured in two rounds only, so that there are two moments of it, however many of triad.
TEST(MemorySpeed, TheStreamWithTheFewestRoundsCounts) {
  Result result = between_two_streams();
  const auto squeeze = [](std::vector<double>& ends) {
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = begin_s + 0.5 * static_cast<double>(i);
  };
  squeeze(result.ceilings[0].value.ended_s);
  squeeze(result.points[0].time.ended_s);
  result.ceilings[1].value.ended_s = {begin_s, begin_s + 1.4, begin_s - 3600, begin_s - 3500};
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0);
  squeeze(result.ceilings[1].value.ended_s);
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 4);
}

/// Its bytes take 12.5 or 50 ms, its arithmetic 30 ms, more than twice the 12.5 ms of the row: by the row memory does
/// not matter, but in half of the rounds it limits. All of these were beside one round of memory.
TEST(MemorySpeed, AStreamThatLimitsARoundCounts) {
  Result result = computing_beside(30e9, {80e9, 20e9, 80e9, 20e9}, {50e-3, 50e-3, 50e-3, 50e-3});
  result.ceilings[0].value.value = 80e9;
  result.ceilings[0].value.ci_low = result.ceilings[0].value.ci_high = 80e9;
  Result apart = result;
  for (double& end_s : result.points[0].time.ended_s) end_s = begin_s + a_round_s;
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0) << "one moment";
  set_verdicts(apart);
  EXPECT_EQ(apart.points[0].compared_rounds, 4);
}

/// With two of four blocks disturbed a round of the point tells, with three of them it does not.
TEST(MemorySpeed, AMostlyDisturbedRoundOfThePointTellsNothing) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3});
  result.points[0].time.disturbed_samples = {0, 1};
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 4);
  result.points[0].time.disturbed_samples = {0, 1, 2};
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 3);
}

/// The same of a round of memory: with two of four blocks disturbed it tells, with three of five it does not.
TEST(MemorySpeed, ARoundThatWasMostlyDisturbedTellsNothing) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3});
  Estimate& memory = result.ceilings[0].value;
  memory.disturbed_samples = {0, 1};
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 4);
  memory.samples.insert(memory.samples.begin(), 80e9);
  memory.rounds.insert(memory.rounds.begin(), 0);
  memory.disturbed_samples = {0, 1, 2};
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0) << "three rounds of memory do not tell whether it changed";
}

/// Its bytes take 12.5 or 25 ms, its arithmetic 20 ms: in two rounds memory limits it, in two the unit.
TEST(MemorySpeed, EachRoundHasItsOwnLimit) {
  Result result = computing_beside(20e9, {80e9, 40e9, 80e9, 40e9}, {20e-3, 25e-3, 20e-3, 25e-3});
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 4);
  EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 1, 1e-12);
}

/// By the row's 80 GB/s its arithmetic limits it, in four of six rounds memory: what helps is asked of these.
TEST(MemorySpeed, LeversAreThoseOfTheLimitInItsMoments) {
  Result result =
      computing_beside(20e9, {40e9, 40e9, 80e9, 40e9, 80e9, 40e9}, {50e-3, 50e-3, 40e-3, 50e-3, 40e-3, 50e-3});
  result.ceilings[0].value.value = 80e9;
  set_verdicts(result);
  const auto answer = questions::explain(questions::FastestRuns(result), result.points[0], operator_specs());
  EXPECT_NEAR(*answer.point.fraction_of_limit, 0.5, 1e-12);
  EXPECT_EQ(answer.point.regime, Regime::memory_bound);
  const auto closer = std::ranges::find(answer.levers, "better access pattern", &questions::Lever::name);
  ASSERT_NE(closer, answer.levers.end());
  EXPECT_NEAR(closer->factor.value(), 2, 1e-12);
  EXPECT_EQ(std::ranges::count(answer.levers, "closer to the roof", &questions::Lever::name), 0) << "of arithmetic";
}

TEST(MemorySpeed, WhereMemoryNeverLimitsTheRowsDecide) {
  Result result = computing_beside(40e9, {80e9, 40e9, 80e9, 40e9}, {50e-3, 50e-3, 50e-3, 50e-3});
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0);
  EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 0.8, 1e-12);
}

/// In every round it took half of the time that memory needed by the streams: these were not of its moments. By the
/// row, 60 GB/s, it would need 16.7 ms.
TEST(MemorySpeed, RoundsThatAreAboveTheirRoofsDoNotCount) {
  Result result = beside({80e9, 40e9, 40e9, 80e9, 40e9, 80e9}, {6.25e-3, 12.5e-3, 12.5e-3, 6.25e-3, 12.5e-3, 6.25e-3});
  result.points[0].time.value = 20e-3;
  result.points[0].time.ci_low = result.points[0].time.ci_high = 20e-3;
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0);
  EXPECT_NEAR(result.points[0].bound_s.value(), 1 / 60.0, 1e-12);
  EXPECT_EQ(result.points[0].status, Status::ok);
}

/// Where reading has no round near, and its row says another speed, no round says what memory allowed.
TEST(MemorySpeed, EveryStreamThatMattersIsNear) {
  Result result = between_two_streams();
  Result far = result;
  for (double& end_s : far.ceilings[1].value.ended_s) end_s -= 3600;
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 4);
  EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 1, 1e-12);
  set_verdicts(far);
  EXPECT_EQ(far.points[0].compared_rounds, 0);
}

/// Shares of 0.4 to 1 in single rounds, where the rows are known within 3 %. The bound is 12.5 ms in two moments and 25
/// ms in two: 18.75 ms, which the row of 53.3 GB/s says too, and a row of the fast moments does not.
TEST(MemorySpeed, TheNarrowerOfTwoIntervalsDecides) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3 / 0.4, 25e-3, 12.5e-3 / 0.7, 25e-3 / 0.5});
  Result known = result;
  known.points[0].time.ci_low = known.points[0].time.value * 0.99;
  known.points[0].time.ci_high = known.points[0].time.value * 1.01;
  const auto compared_with_row_of = [&](double value) {
    known.ceilings[0].value.value = value;
    known.ceilings[0].value.ci_low = 0.98 * value;
    known.ceilings[0].value.ci_high = 1.02 * value;
    set_verdicts(known);
    return known.points[0].compared_rounds;
  };
  EXPECT_EQ(compared_with_row_of(1e9 / 18.75e-3), 0);
  EXPECT_EQ(compared_with_row_of(80e9), 4) << "of other moments";
  EXPECT_EQ(compared_with_row_of(40e9), 4) << "of other moments";
  result.points[0].time.ci_low.reset();
  result.points[0].time.ci_high.reset();
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 4) << "the rows do not say how far they may be off";
}

/// One round at another speed than all others.
TEST(MemorySpeed, OneOddRoundIsNoChange) {
  for (const double odd : {160e9, 20e9}) {
    Result result = beside({80e9, 80e9, odd, 80e9, 80e9}, {12.5e-3, 12.5e-3, 12.5e-3, 12.5e-3, 12.5e-3});
    set_verdicts(result);
    EXPECT_EQ(result.points[0].compared_rounds, 0) << odd;
  }
}

/// Half of what memory gave, in every round.
TEST(MemorySpeed, WhatIsFarBelowItInEveryMomentStaysSo) {
  Result result = beside({80e9, 40e9, 80e9, 40e9, 80e9}, {25e-3, 50e-3, 25e-3, 50e-3, 25e-3});
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 5);
  EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 0.5, 1e-12);
  const auto answer = questions::explain(questions::FastestRuns(result), result.points[0], operator_specs());
  const auto closer = std::ranges::find(answer.levers, "better access pattern", &questions::Lever::name);
  ASSERT_NE(closer, answer.levers.end());
  EXPECT_NEAR(closer->factor.value(), 2, 1e-12);
}

TEST(MemorySpeed, MemoryThatKeepsItsSpeedHasTheFigureOfItsRow) {
  Result result = beside({80e9, 75e9, 70e9}, {20e-3, 21e-3, 22e-3});
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0);
  EXPECT_NEAR(result.points[0].bound_s.value(), 1 / 75.0, 1e-12);
  const auto text = report::text(result, 200);
  EXPECT_EQ(text.find("changed its speed"), std::string::npos) << text;
}

TEST(MemorySpeed, RoundsOfAnotherRunAreNotNear) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {25e-3, 25e-3, 25e-3, 25e-3}, 86400);
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0);
  EXPECT_NEAR(result.points[0].bound_s.value(), 1 / 60.0, 1e-12);
}

TEST(MemorySpeed, TwoRoundsAreTooFew) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {25e-3, 25e-3});
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0);
}

}  // namespace
}  // namespace gable
