// Points beside main memory that changes its speed.
#include "core/verdict/memory_speed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/operator.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/repeats.hpp"
#include "core/questions/explain/explanation.hpp"
#include "core/questions/report/report.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/validate.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable {
namespace {

constexpr double begin_s = 1.76e9, a_round_s = 10;

/// Four blocks of one figure in each round, `late_s` behind the beginning of it.
Estimate of_rounds(const std::vector<double>& figures, double late_s = 0, bool ceiling = true) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Block block{.figure = figures[i],
                      .batches = 1,
                      .round = static_cast<int>(i),
                      .at_s = begin_s + a_round_s * static_cast<double>(i) + late_s};
    blocks.insert(blocks.end(), 4, block);
  }
  Estimate estimate = measure::estimate(blocks, {.larger_is_slower = !ceiling, .ceiling = ceiling});
  estimate.taken.clear();
  return estimate;
}

/// A roof of main memory by rounds, and a point that moves 1 GB.
Result beside(const std::vector<double>& byte_per_s, const std::vector<double>& time_s, double late_s = 1) {
  Result result = test::made_up_result();
  test::add_memory(result, 1).value = of_rounds(byte_per_s);
  Point& point = test::add_point(result, "mine", 0, 1e9, 1);
  point.implementation = "user";
  if (!time_s.empty()) point.time = of_rounds(time_s, late_s, false);
  return result;
}

/// The same, which also does so many operations on a unit of 1 Tflop/s.
Result computing_beside(double flop, const std::vector<double>& byte_per_s, const std::vector<double>& time_s) {
  Result result = beside(byte_per_s, time_s);
  test::add_peak(result, DType::fp32, 1e12);
  result.points[0].stages[0].work = {{Unit::vector, flop}};
  return result;
}

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

  const auto answer = questions::explain(result, point, operator_specs());
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
  const auto answer = questions::explain(result, result.points[0], operator_specs());
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
  const auto answer = questions::explain(result, result.points[0], operator_specs());
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
  const auto answer = questions::explain(result, result.points[0], operator_specs());
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
  const auto answer = questions::explain(result, result.points[0], operator_specs());
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

TEST(MemorySpeed, FilesWithoutTimesHaveNone) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {25e-3, 25e-3, 25e-3, 25e-3});
  result.ceilings[0].value.ended_s.clear();
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0);
  EXPECT_NEAR(result.points[0].bound_s.value(), 1 / 60.0, 1e-12);
}

/// Makes a row suspect for an interval of ±`half` of its value.
void make_wide(Ceiling& row, double value, double half = 0.4) {
  row.value.value = value;
  row.value.ci_low = value * (1 - half);
  row.value.ci_high = value * (1 + half);
  row.status = Status::suspect;
  row.reason = "interval of ±40 %: disturbed";
}

/// Without the rounds of the second row the third and the fourth round of the point have none near.
TEST(MemorySpeed, ARowTooWideForAFigureTellsOfItsRounds) {
  Result result = beside({80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3});
  Ceiling again = result.ceilings[0];
  again.id = "again";
  again.value = of_rounds({80e9, 40e9, 80e9, 40e9});
  make_wide(again, 90e9);
  const auto judged_with = [&](auto&& change) {
    Result changed = result;
    changed.ceilings.push_back(again);
    change(changed.ceilings.back());
    set_verdicts(changed);
    return changed.points[0];
  };
  const auto point = judged_with([](Ceiling&) {});
  EXPECT_EQ(point.compared_rounds, 4);
  EXPECT_NEAR(point.fraction_of_limit.value(), 1, 1e-12);
  const auto compared_with = [&](auto&& change) { return judged_with(change).compared_rounds; };
  EXPECT_EQ(compared_with([](Ceiling& row) { make_wide(row, 60e9, 0.2); }), 0) << "suspect for something else";
  EXPECT_EQ(compared_with([](Ceiling& row) { row.status = Status::skipped; }), 0);
  EXPECT_EQ(compared_with([](Ceiling& row) { row.stores = Stores::non_temporal; }), 0);
  EXPECT_EQ(compared_with([](Ceiling& row) { row.scope = Scope::core; }), 0);
  EXPECT_EQ(compared_with([](Ceiling& row) { row.implementation = "slower"; }), 0);
  EXPECT_EQ(compared_with([](Ceiling& row) { row.variant = "isa:avx2"; }), 0);
}

/// Two of four rounds were faster than the datasheet, or than L1: two are left.
TEST(MemorySpeed, RoundsThatMemoryCannotGiveTellNothing) {
  Result of_datasheet = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3}), of_cache = of_datasheet;
  of_datasheet.ceilings[0].datasheet = 70e9;
  set_verdicts(of_datasheet);
  EXPECT_EQ(of_datasheet.points[0].compared_rounds, 0);
  Ceiling& cache = test::add_memory(of_cache, 70e9);
  cache.name = "L1";
  set_verdicts(of_cache);
  EXPECT_EQ(of_cache.points[0].compared_rounds, 0);
}

/// Whatever a file that was made by hand says.
TEST(MemorySpeed, FiguresThatAreNoneTellNothing) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double figure : {0.0, none, -1.0, std::numeric_limits<double>::infinity()}) {
    Result of_memory = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3});
    Result of_point = of_memory, of_ends = of_memory;
    of_memory.ceilings[0].value.samples[0] = figure;
    of_point.points[0].time.samples[0] = figure;
    of_ends.points[0].time.ended_s[0] = figure;
    for (Result* result : {&of_memory, &of_point, &of_ends}) {
      set_verdicts(*result);
      EXPECT_EQ(result->points[0].compared_rounds, 0) << figure;
      EXPECT_NEAR(result->points[0].bound_s.value(), 1 / 60.0, 1e-12) << figure;
      EXPECT_NO_THROW(verdict::plausibility(*result));
    }
  }
}

TEST(MemorySpeed, ValidateComparesAgain) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3});
  set_verdicts(result);
  const auto says = [](const Result& judged, std::string_view what) {
    return std::ranges::any_of(verdict::plausibility(judged),
                               [&](const auto& one) { return one.what.find(what) != std::string::npos; });
  };
  EXPECT_FALSE(says(result, "its rounds"));
  Result more = result, higher = result, timeless = result;
  more.points[0].compared_rounds = 5;
  EXPECT_TRUE(says(more, "compared_rounds is 5, by the times of its rounds it is 4"));
  higher.points[0].fraction_of_limit = 0.5;
  EXPECT_TRUE(says(higher, "fraction_of_limit is 0.5, that of its rounds 1"));
  timeless.points[0].time.ended_s[1] = 0;
  EXPECT_TRUE(says(timeless, "a round of rounds_ended_s has no time"));
}

/// Figures that scatter by a standard deviation of `scatter`, over what memory gives in that round.
std::vector<double> scattered(const std::vector<double>& speeds, double scatter, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, scatter);
  std::vector<double> figures;
  for (const double speed : speeds) figures.push_back(speed * std::exp(normal(random)));
  return figures;
}

/// 400 runs of 12 rounds, in which memory is at half of its speed for a third of the time; stream and point scatter by
/// 5 % besides, and the point moves its bytes at 80 % of what memory gives. Raw shares spread by which of the two met
/// the better rounds; those of pairs do not.
TEST(MemorySpeed, SimulatedSharesOfTwoSpeeds) {
  std::mt19937_64 random(17);
  std::bernoulli_distribution slow(1 / 3.0);
  std::vector<double> paired, raw;
  int covered = 0;
  for (int run = 0; run < 400; ++run) {
    std::vector<double> speeds, of_point;
    for (int round = 0; round < 12; ++round) speeds.push_back(slow(random) ? 40e9 : 80e9);
    for (const double speed : scattered(speeds, 0.05, random)) of_point.push_back(1e9 / (0.8 * speed));
    Result result = beside(scattered(speeds, 0.05, random), of_point);
    // The point has its last nine rounds only.
    std::vector<double> last(of_point.begin() + 3, of_point.end());
    result.points[0].time = of_rounds(last, 3 * a_round_s + 1, false);
    Result without = result;
    without.points[0].time.ended_s.clear();
    set_verdicts(result);
    set_verdicts(without);
    if (result.points[0].compared_rounds == 0) continue;
    paired.push_back(*result.points[0].fraction_of_limit);
    raw.push_back(*without.points[0].bound_s / without.points[0].time.value);
    covered += *result.points[0].fraction_low <= 0.8 && 0.8 <= *result.points[0].fraction_high ? 1 : 0;
  }
  const auto spread = [](std::vector<double> shares) {
    std::ranges::sort(shares);
    return std::log(shares[shares.size() * 95 / 100] / shares[shares.size() * 5 / 100]);
  };
  RecordProperty("paired_spread", std::to_string(spread(paired)));
  RecordProperty("raw_spread", std::to_string(spread(raw)));
  RecordProperty("compared", std::to_string(paired.size()));
  RecordProperty("covered", std::to_string(covered));
  EXPECT_GT(paired.size(), 350U);
  EXPECT_NEAR(measure::median(paired), 0.8, 0.01);
  EXPECT_LT(spread(paired), 0.15);
  EXPECT_GT(spread(raw), 0.5) << "what a share is without pairs";
  EXPECT_GT(covered, 0.92 * static_cast<double>(paired.size()));
}

/// Memory that keeps its speed is seldom taken for one that changed it, and then the share is as good.
TEST(MemorySpeed, SimulatedScatterIsSeldomAChange) {
  std::mt19937_64 random(18);
  const std::vector<double> steady(10, 80e9);
  int compared = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<double> of_point;
    for (const double speed : scattered(steady, 0.05, random)) of_point.push_back(1e9 / (0.8 * speed));
    Result result = beside(scattered(steady, 0.05, random), of_point);
    set_verdicts(result);
    compared += result.points[0].compared_rounds > 0 ? 1 : 0;
    EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 0.8, 0.1);
  }
  RecordProperty("compared", std::to_string(compared));
  EXPECT_LT(compared, 20);
}

/// Where no stream has a figure, those of its moments decide all the same.
TEST(MemorySpeed, RowsWithoutAFigureAreARoofInTheirMoments) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {25e-3, 50e-3, 25e-3, 50e-3});
  make_wide(result.ceilings[0], 60e9);
  Result at_unknown_times = result;
  at_unknown_times.points[0].time.ended_s.clear();
  set_verdicts(at_unknown_times);
  EXPECT_FALSE(at_unknown_times.points[0].regime);
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 4);
  EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 0.5, 1e-12);
  EXPECT_EQ(result.points[0].limit, "DRAM triad (ordinary)");
}

/// By the row's 40 GB/s a point of 80 GB/s is far above its roof; in its own moments it is at it.
TEST(MemorySpeed, AboveTheRowsRoofButNotInItsMomentsIsNoDoubt) {
  Result result = beside({40e9, 40e9, 40e9, 40e9, 80e9, 80e9, 80e9}, {});
  result.points[0].time = of_rounds({12.5e-3, 12.5e-3, 12.5e-3}, 4 * a_round_s + 1, false);
  result.ceilings[0].value.ci_low = 39e9;
  result.ceilings[0].value.ci_high = 41e9;
  ASSERT_DOUBLE_EQ(result.ceilings[0].value.value, 40e9);
  const auto findings_above = [](Result judged) {
    set_verdicts(judged);
    auto said_ok = judged;
    said_ok.points[0].status = Status::ok;
    const auto found = verdict::plausibility(said_ok);
    const auto above = std::ranges::count_if(
        found, [](const auto& one) { return one.what.find("beyond both intervals") != std::string::npos; });
    return std::pair(judged.points[0].status, above);
  };
  EXPECT_EQ(findings_above(result), std::pair(Status::ok, 0L));
  result.points[0].time.ended_s.clear();
  EXPECT_EQ(findings_above(result), std::pair(Status::suspect, 1L)) << "when it was is not known";
}

/// Two of four blocks at 10 GB/s, seen to be disturbed, and then three of them.
TEST(MemorySpeed, DisturbedBlocksHaveNoPart) {
  for (const int disturbed : {2, 3}) {
    Result result = beside({80e9, 40e9, 80e9, 40e9, 80e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3, 12.5e-3});
    Estimate& memory = result.ceilings[0].value;
    for (int i = 0; i < disturbed; ++i) {
      memory.samples[static_cast<std::size_t>(i)] = 10e9;
      memory.disturbed_samples.push_back(i);
    }
    set_verdicts(result);
    EXPECT_EQ(result.points[0].compared_rounds, disturbed == 2 ? 5 : 4) << "a round of one block says nothing";
    EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 1, 1e-12);
  }
}

}  // namespace
}  // namespace gable
