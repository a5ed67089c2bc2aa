#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/operator.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/validate.hpp"
#include "tests/unit/questions/made_up.hpp"
#include "tests/unit/verdict/memory_rounds.hpp"

namespace gable {
namespace {

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
