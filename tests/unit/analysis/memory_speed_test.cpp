// Points beside main memory that changes its speed.
#include "core/result/memory_speed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/explanation.hpp"
#include "core/measure/rounds.hpp"
#include "core/operator.hpp"
#include "core/report/report.hpp"
#include "core/result/roofs.hpp"
#include "core/result/validate.hpp"
#include "made_up.hpp"

namespace gable::analysis {
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

/// At 80 GB/s 1 GB takes 12.5 ms, at 40 GB/s 25 ms: in every single round the point is at its roof. By the rows'
/// figures, 60 GB/s and 25 ms, it would reach two thirds of it.
TEST(MemorySpeed, APointIsComparedWithMemoryAsItWasInItsMoments) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 25e-3, 25e-3, 25e-3});
  result.points[0].time = of_rounds({12.5e-3, 25e-3, 12.5e-3, 25e-3, 25e-3}, 1, false);
  ASSERT_DOUBLE_EQ(result.points[0].time.value, 25e-3);
  ASSERT_DOUBLE_EQ(result.ceilings[0].value.value, 60e9);
  set_verdicts(result);
  const Point& point = result.points[0];
  EXPECT_EQ(point.compared_rounds, 4) << "the fifth has no round of memory near";
  EXPECT_NEAR(point.fraction_of_limit.value(), 1, 1e-12);
  EXPECT_NEAR(point.bound_s.value(), 25e-3, 1e-12);
  EXPECT_EQ(point.regime, Regime::memory_bound);
  const auto text = report::text(result, 200);
  EXPECT_NE(text.find("1 operator is compared with how fast it was in the same moments"), std::string::npos) << text;

  const auto answer = explain(result, point, operator_specs());
  EXPECT_NEAR(answer.fraction, 1, 1e-12) << "explain says the same as report";
  EXPECT_FALSE(answer.fraction_low) << "the interval of the time is that of memory's speeds";
  EXPECT_NEAR(answer.limit_value.value(), 40e9, 1);
}

/// Half of what memory gave, in every round.
TEST(MemorySpeed, WhatIsFarBelowItInEveryMomentStaysSo) {
  Result result = beside({80e9, 40e9, 80e9, 40e9, 80e9}, {25e-3, 50e-3, 25e-3, 50e-3, 25e-3});
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 5);
  EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 0.5, 1e-12);
}

TEST(MemorySpeed, MemoryThatKeepsItsSpeedHasTheFigureOfItsRow) {
  Result result = beside({80e9, 75e9, 70e9}, {20e-3, 21e-3, 22e-3});
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 0);
  EXPECT_NEAR(result.points[0].bound_s.value(), 1 / 75.0, 1e-12);
  const auto text = report::text(result, 200);
  EXPECT_EQ(text.find("same moments"), std::string::npos) << text;
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

/// Without the rounds of the suspect row the third and the fourth round of the point have none near.
TEST(MemorySpeed, ARowTooWideForAFigureTellsOfItsRounds) {
  Result result = beside({80e9, 40e9}, {12.5e-3, 25e-3, 25e-3, 25e-3});
  result.ceilings[0].value.ci_low = 40e9;
  result.ceilings[0].value.ci_high = 80e9;
  Ceiling again = result.ceilings[0];
  again.id = "again";
  again.variant = among_operators;
  again.value = of_rounds({80e9, 40e9, 40e9, 40e9});
  make_wide(again, 40e9);
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
  EXPECT_EQ(compared_with([](Ceiling& row) { make_wide(row, 81e9); }), 0) << "above the row that is ok";
  EXPECT_EQ(compared_with([](Ceiling& row) { row.datasheet = 30e9; }), 0) << "above the datasheet";
  EXPECT_EQ(compared_with([](Ceiling& row) { make_wide(row, 40e9, 0.2); }), 0) << "suspect for something else";
  EXPECT_EQ(compared_with([](Ceiling& row) { row.status = Status::skipped; }), 0);
  EXPECT_EQ(compared_with([](Ceiling& row) { row.stores = Stores::non_temporal; }), 0);
  EXPECT_EQ(compared_with([](Ceiling& row) { row.scope = Scope::core; }), 0);
  EXPECT_EQ(compared_with([](Ceiling& row) { row.implementation = "slower"; }), 0);
  EXPECT_EQ(compared_with([](Ceiling& row) { row.variant = "isa:avx2"; }), 0);
}

/// Where no stream has a figure, those of its moments decide all the same.
TEST(MemorySpeed, RowsWithoutAFigureAreARoofInTheirMoments) {
  Result result = beside({80e9, 40e9, 80e9, 40e9}, {25e-3, 50e-3, 25e-3, 50e-3});
  make_wide(result.ceilings[0], 60e9);
  set_verdicts(result);
  EXPECT_EQ(result.points[0].compared_rounds, 4);
  EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 0.5, 1e-12);
  EXPECT_EQ(result.points[0].limit, "DRAM triad (ordinary)");
  result.points[0].time.ended_s.clear();
  set_verdicts(result);
  EXPECT_FALSE(result.points[0].regime) << "when it was is not known";
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
    const auto found = result::plausibility(said_ok);
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
    Result result = beside({80e9, 40e9, 80e9, 40e9}, {12.5e-3, 25e-3, 12.5e-3, 25e-3});
    Estimate& memory = result.ceilings[0].value;
    for (int i = 0; i < disturbed; ++i) {
      memory.samples[static_cast<std::size_t>(i)] = 10e9;
      memory.disturbed_samples.push_back(i);
    }
    set_verdicts(result);
    EXPECT_EQ(result.points[0].compared_rounds, disturbed == 2 ? 4 : 3) << "a round of one block says nothing";
    EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 1, 1e-12);
  }
}

}  // namespace
}  // namespace gable::analysis
