#include "core/worker/combine_rounds.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/measure/rounds.hpp"
#include "core/row_item.hpp"

namespace gable::worker {
namespace {

Ceiling stream(const std::vector<Block>& blocks, double clock_hz = 3e9) {
  Ceiling row{.id = "ceiling/bandwidth/L1/copy",
              .kind = CeilingKind::bandwidth,
              .name = "L1",
              .unit = "byte/s",
              .value = measure::estimate(blocks, {.ceiling = true})};
  row.with_write_allocate = 1.5 * row.value.value;
  row.conditions.clock_hz = clock_hz;
  return row;
}

std::vector<Block> blocks(double figure, int count = 4) {
  return std::vector<Block>(static_cast<std::size_t>(count), {.figure = figure, .batches = 1});
}

/// It ends a second after the one before.
RoundRows of_round(int round, Row row) {
  std::vector<Row> rows{std::move(row)};
  set_round(rows, round, 1000 + round);
  return {round, std::move(rows)};
}

Ceiling ceiling_of(const std::vector<RoundRows>& rounds, std::optional<double> baseline = {}) {
  return std::get<Ceiling>(combined(rounds, {.throughput_baseline = baseline}).at(0));
}

TEST(Combined, ACeilingRestsOnTheBlocksOfAllRounds) {
  const auto row = ceiling_of({of_round(0, stream(blocks(100), 3.0e9)), of_round(1, stream(blocks(101), 3.1e9)),
                               of_round(2, stream(blocks(102), 3.3e9))});
  EXPECT_EQ(row.value.blocks, 12);
  EXPECT_DOUBLE_EQ(row.value.value, 101);
  EXPECT_EQ(row.value.rounds, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_DOUBLE_EQ(*row.with_write_allocate, 151.5) << "1.5 of the value, as in every round";
  EXPECT_DOUBLE_EQ(*row.conditions.clock_hz, 3.1e9);
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(row.value.stop, StopReason::last_look) << "rounds 1 % apart: the interval is wider than that";
}

TEST(Combined, ARoundWithoutTimeDoesNotSpoilTheOthers) {
  Ceiling none = stream(blocks(1));
  none.value = {};
  none.status = Status::skipped;
  none.reason = "no block fitted";
  const auto row = ceiling_of({of_round(0, stream(blocks(100))), of_round(1, none), of_round(2, stream(blocks(100)))});
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(row.value.blocks, 8);
  EXPECT_EQ(ceiling_of({of_round(0, none), of_round(1, none)}).status, Status::skipped);
  EXPECT_TRUE(wants_another_round(ceiling_of({of_round(0, none)}), Mode::quick));
}

TEST(Combined, AFailureStandsForTheItemOnlyWhereNothingWasMeasured) {
  Ceiling lost = stream(blocks(1));
  lost.value = {};
  lost.status = Status::error;
  lost.reason = "signal 4";
  const auto row = ceiling_of({of_round(0, lost)});
  EXPECT_EQ(row.status, Status::error);
  EXPECT_EQ(row.reason, "signal 4");
  EXPECT_FALSE(wants_another_round(row, Mode::quick));
  const auto kept = ceiling_of({of_round(0, stream(blocks(100))), of_round(1, stream(blocks(100))), of_round(2, lost)});
  EXPECT_EQ(kept.status, Status::ok) << "what was measured before a crash is kept";
  EXPECT_DOUBLE_EQ(kept.value.value, 100);
}

TEST(Combined, OneRoundOfFewBlocksIsNoFigure) {
  const auto row = ceiling_of({of_round(0, stream(blocks(100, 2)))});
  EXPECT_EQ(row.status, Status::suspect);
  EXPECT_NE(row.reason.find("2 blocks"), std::string::npos) << row.reason;
}

TEST(Combined, FewBlocksOfThreadsThatWereHeldBackSaySo) {
  auto few = blocks(100, 2);
  for (Block& block : few) block.preemption = 5;
  const auto row = ceiling_of({of_round(0, stream(few))});
  EXPECT_EQ(row.status, Status::suspect);
  EXPECT_NE(row.reason.find("held back"), std::string::npos) << row.reason;
}

/// Blocks beside which independent work takes `ratio` times as long as the chain.
std::vector<Block> beside(double figure, double ratio) {
  auto some = blocks(figure);
  for (Block& block : some) {
    block.sentinel_s = 1e-5;
    block.throughput_s = ratio * 1e-5;
  }
  return some;
}

TEST(Combined, ACoreThatWasSharedThroughoutMakesTheRowSuspect) {
  const std::vector<RoundRows> halved{of_round(0, stream(beside(50, 1.8))), of_round(1, stream(beside(50, 1.8))),
                                      of_round(2, stream(beside(50, 1.8)))};
  EXPECT_EQ(ceiling_of(halved).status, Status::ok) << "alone it cannot be told from a slower machine";
  const auto row = ceiling_of(halved, 1.0);
  EXPECT_EQ(row.status, Status::suspect);
  EXPECT_NE(row.reason.find("core was shared"), std::string::npos) << row.reason;
  EXPECT_NE(row.reason.find("1.80"), std::string::npos) << row.reason;
}

TEST(Combined, ACoreThatWasSharedForARoundCostsItsBlocksOnly) {
  const auto row = ceiling_of({of_round(0, stream(beside(100, 1.0))), of_round(1, stream(beside(50, 1.8))),
                               of_round(2, stream(beside(100, 1.0)))},
                              1.0);
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_DOUBLE_EQ(row.value.value, 100);
  EXPECT_EQ(row.value.disturbed_samples, (std::vector<int>{4, 5, 6, 7}));
}

TEST(Combined, ThreadsThatNeverRanAllTheTimeMakeAnyRowSuspect) {
  const auto held = [](const std::vector<Block>& some) {
    auto all = some;
    for (Block& block : all) {
      block.preemption = 5;
      block.throttled_s = 0.1;
    }
    return all;
  };
  std::vector<RoundRows> library, operators;
  for (int round = 0; round < 3; ++round) {
    Ceiling product = stream(held(blocks(20)));
    product.kind = CeilingKind::compute;
    product.at = OperatingPoint::library;
    library.push_back(of_round(round, product));
    Point point;
    point.id = "point/gemm";
    point.time = measure::estimate(held(blocks(0.1)), {.larger_is_slower = true});
    operators.push_back(of_round(round, point));
  }
  for (const auto& rounds : {library, operators}) {
    const Row row = combined(rounds, {}).at(0);
    EXPECT_EQ(status_of(row), Status::suspect);
    const std::string reason = std::visit([](const auto& one) { return one.reason; }, row);
    EXPECT_NE(reason.find("held back"), std::string::npos) << reason;
    EXPECT_NE(reason.find("quota stopped them for 1.2 s"), std::string::npos) << reason;
    EXPECT_TRUE(wants_another_round(row, Mode::quick));
  }
}

TEST(ThroughputBaseline, IsThatOfAllRowsOfTheRun) {
  const std::vector<RoundRows> halved{of_round(0, stream(beside(50, 1.8)))};
  const std::vector<RoundRows> calm{of_round(0, stream(beside(7, 1.0))), of_round(1, stream(beside(7, 1.0)))};
  const std::vector<std::vector<RoundRows>> run{halved, calm};
  EXPECT_DOUBLE_EQ(surroundings(run, "DRAM").throughput_baseline.value(), 1.0);
  EXPECT_FALSE(surroundings({}, "DRAM").throughput_baseline);
}

Ceiling named(Ceiling row, std::string name) {
  row.id = "ceiling/bandwidth/" + name;
  row.name = std::move(name);
  return row;
}

/// Rounds 0, 1, 2 … with these medians.
std::vector<RoundRows> rounds_of(const std::vector<double>& medians, const Ceiling& like) {
  std::vector<RoundRows> rounds;
  for (const double median : medians) {
    Ceiling row = like;
    row.value = measure::estimate(blocks(median), {.ceiling = true});
    rounds.push_back(of_round(static_cast<int>(rounds.size()), row));
  }
  return rounds;
}

TEST(Combined, AStreamRestsOnItsRoundsAmongTheOperatorsToo) {
  Ceiling row = stream({{.figure = 1}});
  row.access = Access::copy;
  row.id = ceiling_id(row);
  Ceiling again = row;
  again.variant = among_operators;
  again.id = ceiling_id(again);
  const auto at = [](const Ceiling& like, int round, double figure, double at_s) {
    std::vector<Row> rows{like};
    std::get<Ceiling>(rows[0]).value = measure::estimate(blocks(figure), {.ceiling = true});
    set_round(rows, round, at_s);
    return RoundRows{round, rows};
  };
  const std::vector<RoundRows> first{at(row, 0, 100, 1000), at(row, 1, 102, 1010)};
  const std::vector<RoundRows> among{at(again, 0, 101, 1005), at(again, 1, 103, 1015)};
  const auto all = ceiling_of(joined_rounds(first, among, row.id));
  EXPECT_EQ(all.id, row.id) << "though the last of them was among the operators";
  EXPECT_TRUE(all.variant.empty());
  EXPECT_EQ(all.value.blocks, 16);
  EXPECT_EQ(all.value.rounds, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  EXPECT_EQ(all.value.ended_s, (std::vector<double>{1000, 1005, 1010, 1015}));
  EXPECT_EQ(all.value.samples[4], 101) << "in the order in which they were taken";
  EXPECT_DOUBLE_EQ(all.value.value, 101.5);
  EXPECT_EQ(ceiling_of(joined_rounds(first, {}, row.id)).value.samples, ceiling_of(first).value.samples);
}

TEST(Combined, ACeilingOfTwoSpeedsHasTheFaster) {
  const std::vector<double> medians{50, 100, 50, 100, 50, 100};
  const auto row = ceiling_of(rounds_of(medians, stream({{.figure = 1}})));
  EXPECT_EQ(row.value.estimator, Estimator::faster_speed);
  EXPECT_DOUBLE_EQ(row.value.value, 100);
  Ceiling sustained = stream({{.figure = 1}});
  sustained.kind = CeilingKind::compute;
  sustained.at = OperatingPoint::sustained;
  EXPECT_NE(ceiling_of(rounds_of(medians, sustained)).value.estimator, Estimator::faster_speed)
      << "a unit may slow down by itself";
  Ceiling together = stream({{.figure = 1}});
  together.variant = "with_cuda:0";
  EXPECT_NE(ceiling_of(rounds_of(medians, together)).value.estimator, Estimator::faster_speed)
      << "what others take on purpose is what the row is of";
}

TEST(Surroundings, WhatAUnitSustainsDoesNotSayThatOthersWereSlow) {
  Ceiling peak = named(stream({{.figure = 1}}), "vector");
  peak.kind = CeilingKind::compute;
  const auto moments = [&](OperatingPoint at) {
    peak.at = at;
    const std::vector<std::vector<RoundRows>> run{rounds_of({100, 50, 100, 50, 100}, peak)};
    return surroundings(run, "DRAM").moments["compute"].size();
  };
  EXPECT_EQ(moments(OperatingPoint::burst), 5u);
  EXPECT_EQ(moments(OperatingPoint::sustained), 0u) << "it may slow down by itself";
}

TEST(Combined, ACeilingSeenOnlyWhileThatLevelWasSlowSaysSo) {
  const auto two = rounds_of({100, 50, 50, 50, 100, 100}, named(stream({{.figure = 1}}), "DRAM"));
  const auto at_rounds_1_to_3 = [](const Row& row) {
    std::vector<RoundRows> rounds;
    for (int round = 1; round <= 3; ++round) rounds.push_back(of_round(round, row));
    return rounds;
  };
  const std::vector<std::vector<RoundRows>> run{two};
  const auto around = surroundings(run, "DRAM");
  const auto memory = at_rounds_1_to_3(named(stream(blocks(40)), "DRAM"));
  const auto slowed = std::get<Ceiling>(combined(memory, around).at(0));
  EXPECT_DOUBLE_EQ(slowed.value.value, 40);
  EXPECT_NEAR(*slowed.value.ci_high, 80, 1e-9) << "what the other stream lost";
  EXPECT_TRUE(wants_another_round(slowed, Mode::quick));
  const auto cache = at_rounds_1_to_3(named(stream(blocks(40)), "L1"));
  EXPECT_LT(*std::get<Ceiling>(combined(cache, around).at(0)).value.ci_high, 41) << "L1 has nothing to do with it";

  Point point;
  point.time = measure::estimate(blocks(2), {.larger_is_slower = true});
  point.stages.emplace_back().bytes_read = 120;
  const auto slow_point = std::get<Point>(combined(at_rounds_1_to_3(point), around).at(0));
  EXPECT_NEAR(*slow_point.time.ci_low, 1, 1e-9) << "60 byte/s where memory gives 50 to 100: it may have lost as much";
  point.stages[0].bytes_read = 1;
  EXPECT_GT(*std::get<Point>(combined(at_rounds_1_to_3(point), around).at(0)).time.ci_low, 1.9)
      << "memory is not what it waits for";
}

TEST(SayTheSame, ThreeRoundsThatAgreeAndWereLeftAlone) {
  const std::vector<RoundRows> rounds{of_round(3, stream(blocks(50))), of_round(4, stream(blocks(100))),
                                      of_round(5, stream(blocks(100.2))), of_round(6, stream(blocks(100.1)))};
  EXPECT_TRUE(say_the_same(rounds, 4));
  EXPECT_FALSE(say_the_same(rounds, 5)) << "round 4 was planned";
  EXPECT_FALSE(say_the_same(std::span(rounds).first(3), 3)) << "50 is not 100";
  EXPECT_FALSE(say_the_same(std::span(rounds).last(2), 3)) << "two may agree by chance";
  auto one_differs = rounds;
  one_differs[2] = of_round(5, stream(blocks(101)));
  EXPECT_FALSE(say_the_same(one_differs, 3));
  auto one_disturbed = rounds;
  auto switched = blocks(100);
  switched[0].involuntary_switches = 1;
  one_disturbed[2] = of_round(5, stream(switched));
  EXPECT_FALSE(say_the_same(one_disturbed, 3)) << "the next may be left alone";
  auto one_skipped = rounds;
  one_skipped[2] = of_round(5, without_figure(stream(blocks(100)), Status::skipped, "no block fitted"));
  EXPECT_FALSE(say_the_same(one_skipped, 3));
}

TEST(IsCertain, WhereTheIntervalIsNarrowWhateverElseIsWrong) {
  auto row = stream(blocks(100));
  row.value.ci_low = 91;
  row.value.ci_high = 109;
  row.status = Status::suspect;
  EXPECT_TRUE(is_certain(row, Mode::quick)) << "9 % to each side, of 10 %";
  EXPECT_FALSE(is_certain(row, Mode::full)) << "of 5 %";
  EXPECT_TRUE(wants_another_round(row, Mode::quick));
  row.value.ci_high = 112;
  EXPECT_FALSE(is_certain(row, Mode::quick));
  row.value.ci_low.reset();
  row.value.ci_high.reset();
  EXPECT_FALSE(is_certain(row, Mode::quick)) << "no interval";
}

TEST(Combined, ACurveIsTheMedianOfItsRounds) {
  const auto curve = [](std::vector<double> x, std::vector<double> y) {
    return Curve{.x = std::move(x), .y = std::move(y)};
  };
  const std::vector<RoundRows> rounds{of_round(0, curve({1, 2}, {10, 20})), of_round(1, curve({1, 2}, {5, 22})),
                                      of_round(2, curve({1, 2}, {11, 21}))};
  const auto all = std::get<Curve>(combined(rounds, {}).at(0));
  EXPECT_EQ(all.y, (std::vector<double>{10, 21}));
  EXPECT_EQ(all.of_rounds, (std::vector<double>{10, 20, 5, 22, 11, 21}));
  const std::vector<RoundRows> fine{of_round(0, curve({1}, {1.23456e-8})), of_round(1, curve({1}, {2.34567e11}))};
  const auto rounded = std::get<Curve>(combined(fine, {}).at(0));
  EXPECT_NEAR(rounded.of_rounds[0], 1.235e-8, 1e-20) << "four digits";
  EXPECT_NEAR(rounded.of_rounds[1], 2.346e11, 1);
  EXPECT_TRUE(std::get<Curve>(combined(std::span(rounds).first(1), {}).at(0)).of_rounds.empty());
}

}  // namespace
}  // namespace gable::worker
