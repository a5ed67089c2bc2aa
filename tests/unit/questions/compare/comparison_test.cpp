#include "core/questions/compare/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "tests/unit/questions/made_up.hpp"

// Two machines made up so that every answer can be had by hand: A has 100 Gflop/s and 10 GB/s, B 400 and 28.
namespace gable::questions {
namespace {

class MachinePair : public testing::Test {
 protected:
  MachinePair() {
    test::add_peak(a.result, DType::fp32, 1e11);
    test::add_memory(a.result, 1e10);
    test::add_peak(b.result, DType::fp32, 4e11);
    test::add_memory(b.result, 2.8e10);
  }
  /// An operator on both, cold.
  void run(const std::string& op, double flop, double byte, double time_a, double time_b) {
    test::add_point(a.result, op, flop, byte, time_a);
    test::add_point(b.result, op, flop, byte, time_b);
  }
  std::vector<Subject> subjects() const { return subjects_of(std::vector{a, b}); }

  NamedResult a{"a.json", test::made_up_result("Slow")}, b{"b.json", test::made_up_result("Fast", "HBM3")};
};

double product(const Speedup& speedup) { return speedup.of_roof * speedup.of_others * speedup.of_fraction; }

Figure rate(double value, double low, double high) { return {value, low, high, Spread::within_run, 1, "byte/s", true}; }
Figure time(double value, double low, double high) { return {value, low, high, Spread::within_run, 1, "s", false}; }

TEST(Ratio, SaysHowManyTimesAsGoodForRatesAndTimes) {
  const Ratio of_rates = ratio_of(rate(100, 80, 120), rate(300, 240, 330));
  EXPECT_DOUBLE_EQ(of_rates.value, 3);
  EXPECT_DOUBLE_EQ(of_rates.low.value(), 2);       // 240 / 120
  EXPECT_DOUBLE_EQ(of_rates.high.value(), 4.125);  // 330 / 80
  const Ratio of_times = ratio_of(time(6, 5, 8), time(2, 1, 2.5));
  EXPECT_DOUBLE_EQ(of_times.value, 3);
  EXPECT_DOUBLE_EQ(of_times.low.value(), 2);   // 5 / 2.5
  EXPECT_DOUBLE_EQ(of_times.high.value(), 8);  // 8 / 1
  EXPECT_EQ(of_times.difference(), Difference::beyond_these_runs);
}

TEST(Ratio, IsNoiseWhereItsIntervalHoldsOneAndUnknownWithout) {
  EXPECT_EQ(ratio_of(rate(100, 99, 101), rate(101.5, 100.5, 102)).difference(), Difference::within_noise);
  EXPECT_EQ(ratio_of(rate(100, 99, 101), rate(103, 102, 104)).difference(), Difference::beyond_these_runs);
  EXPECT_FALSE(ratio_of(rate(100, 99, 101), Figure{103, {}, {}, Spread::none, 1, "byte/s", true}).difference());
}

/// 4 s on A and 2 s on B, each within 1 %, and 20 ms on either that nobody knows the interval of on B: it takes from
/// nothing to 40 ms there. Of 0.2 s that would be no small part.
TEST_F(MachinePair, ARatioOfASumHasAnIntervalDespiteSmallRowsWithoutOne) {
  run("gemm", 1e8, 1e9, 4, 2);
  run("relu", 1e8, 1e9, 0.02, 0.02);
  b.result.points[1].time = test::made_up(0.02, 0);
  const Ratio sum = compare(subjects(), {.summed = true}).means[1]->ratio;
  EXPECT_NEAR(sum.value, 4.02 / 2.02, 1e-12);
  EXPECT_NEAR(sum.low.value(), 4.02 * 0.99 / (2 * 1.01 + 0.04), 1e-12);
  EXPECT_NEAR(sum.high.value(), 4.02 * 1.01 / (2 * 0.99), 1e-12);
  b.result.points[1].time = test::made_up(0.2, 0);
  EXPECT_FALSE(compare(subjects(), {.summed = true}).means[1]->ratio.low);
}

TEST(Ratio, IsBeyondNoiseOnlyWithSixRunsOnBothSides) {
  Figure a = rate(100, 99, 101), b = rate(103, 102, 104);
  a.runs = 6;
  b.runs = 5;
  EXPECT_EQ(ratio_of(a, b).difference(), Difference::beyond_these_runs);
  b.runs = 6;
  EXPECT_EQ(ratio_of(a, b).difference(), Difference::beyond_noise);
  b.high = 1000, b.low = 1;
  EXPECT_EQ(ratio_of(a, b).difference(), Difference::within_noise);
}

/// 2 n! n! / (2n)!: 1 of 1 for single runs, 2 of 6, 2 of 20 and 2 of 924 orders; and by drawing, at a fixed seed.
TEST(Ratio, RangesOfFewRunsAreDisjointByChance) {
  EXPECT_DOUBLE_EQ(chance_of_disjoint_ranges(1, 1), 1);
  EXPECT_NEAR(chance_of_disjoint_ranges(2, 2), 2 / 6.0, 1e-12);
  EXPECT_NEAR(chance_of_disjoint_ranges(3, 3), 2 / 20.0, 1e-12);
  EXPECT_NEAR(chance_of_disjoint_ranges(6, 6), 2 / 924.0, 1e-12);
  EXPECT_THROW(chance_of_disjoint_ranges(0, 3), Error);
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> time(0, 0.1);
  constexpr int trials = 20000;
  int disjoint = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto draw = [&](int runs) {
      std::vector<Estimate> list(static_cast<std::size_t>(runs));
      std::vector<const Estimate*> pointers;
      for (Estimate& one : list) {
        one.value = time(random);
        pointers.push_back(&one);
      }
      return figure_of(pointers, "s", false);
    };
    disjoint += ratio_of(draw(3), draw(2)).difference() != Difference::within_noise;
  }
  EXPECT_NEAR(disjoint / double{trials}, chance_of_disjoint_ranges(3, 2), 0.01) << "2 of 10 orders";
}

/// 2.8 x the bandwidth, 0.90 against 0.93 of it: 2.8 x 0.93 / 0.90 = 2.893.
TEST_F(MachinePair, MemoryBoundOnBothIsBandwidthTimesFraction) {
  run("stream", 1e8, 1e9, 0.1 / 0.9, 1 / 28.0 / 0.93);
  const auto row = compare(subjects()).operators.at(0);
  EXPECT_NEAR(row.cells[1]->ratio->value, 2.8 * 0.93 / 0.9, 1e-12);
  const Speedup why = row.cells[1]->speedup.value();
  EXPECT_EQ(why.roof, LimitKind::bandwidth);
  EXPECT_NEAR(why.of_roof, 2.8, 1e-12);
  EXPECT_NEAR(why.of_others, 1, 1e-12);
  EXPECT_NEAR(why.of_fraction, 0.93 / 0.9, 1e-12);
  EXPECT_NEAR(why.bandwidth.value(), 2.8, 1e-12);
  EXPECT_NEAR(why.compute.value(), 4, 1e-12);
  EXPECT_EQ(row.cells[0]->verdict.regime, Regime::memory_bound);
  EXPECT_NEAR(row.cells[0]->verdict.fraction_of_limit.value(), 0.9, 1e-12);
}

/// 12 flop/byte: compute-bound on A (ridge 10), memory-bound on B (ridge 14.3). The units alone would give 4, but B's
/// memory needs 1/28 s where its units need 0.03 s: 0.03 x 28 = 0.84.
TEST_F(MachinePair, AnotherRoofBindsOnTheOtherMachine) {
  run("middle", 1.2e10, 1e9, 0.12, 1 / 28.0);
  const auto row = compare(subjects()).operators.at(0);
  const Speedup why = row.cells[1]->speedup.value();
  EXPECT_EQ(why.roof, LimitKind::compute);
  EXPECT_EQ(row.cells[1]->verdict.limit_kind, LimitKind::bandwidth);
  EXPECT_NEAR(why.of_roof, 4, 1e-12);
  EXPECT_NEAR(why.of_others, 0.84, 1e-12);
  EXPECT_NEAR(why.of_fraction, 1, 1e-12);
}

/// Stages, launches that add up and points far below their roof: whatever the parts mean, they multiply to the whole.
TEST_F(MachinePair, FactorsAlwaysMultiplyToTheRatio) {
  test::add_row(a.result, CeilingKind::overhead, "kokkos_launch", "s", 1e-3);
  test::add_row(b.result, CeilingKind::overhead, "kokkos_launch", "s", 4e-3);
  int number = 0;
  for (const double flop : {1e6, 1e9, 3e10, 1e12}) {
    for (const double share : {0.1, 0.6, 0.95}) {
      run("op" + std::to_string(++number), flop, 1e9, (0.1 + flop / 1e11) / share, 0.05 / share + flop / 3e11);
    }
  }
  for (Result* result : {&a.result, &b.result}) {
    for (Point& point : result->points) point.stages.push_back({"second", {{Unit::vector, 2e9}}, 1e8, 1e8, 2e8, 1, {}});
  }
  const auto answer = compare(subjects());
  ASSERT_EQ(answer.operators.size(), 12U);
  for (const OperatorRow& row : answer.operators) {
    ASSERT_TRUE(row.cells[1]->speedup);
    EXPECT_NEAR(product(*row.cells[1]->speedup) / row.cells[1]->ratio->value, 1, 1e-12) << row.key.op;
  }
}

TEST_F(MachinePair, WithoutARoofItSaysWhichInsteadOfGuessing) {
  run("softmax", 1e8, 1e9, 0.2, 0.1);
  b.result.points.back().stages[0].work.push_back({Unit::exp, 1e12});
  const auto row = compare(subjects()).operators.at(0);
  EXPECT_FALSE(row.cells[1]->speedup);
  EXPECT_EQ(row.cells[1]->verdict.missing, std::vector<std::string>{"exp fp32"});
  EXPECT_DOUBLE_EQ(row.cells[1]->ratio->value, 2);
}

/// Each roof is ±1 %.
TEST_F(MachinePair, CeilingsPairByWhatTheyAre) {
  const auto answer = compare(subjects());
  ASSERT_EQ(answer.ceilings.size(), 2U);
  EXPECT_DOUBLE_EQ(answer.ceilings[0].cells[1]->ratio->value, 4);
  EXPECT_NEAR(answer.ceilings[0].cells[1]->ratio->low.value(), 4 * 0.99 / 1.01, 1e-12);
  EXPECT_DOUBLE_EQ(answer.ceilings[1].cells[1]->ratio->value, 2.8) << "DRAM and HBM3 are both the main memory";
  EXPECT_TRUE(answer.unpaired.empty());
}

/// Each subject's roof is the faster of its two measurements, and the answer says which: A's second triad is 11 GB/s,
/// B's 26: 28 / 11; A's ridge is at 100 / 11.
TEST_F(MachinePair, OfTwoMeasurementsOfARoofTheFasterIsUsedAndNamed) {
  test::add_memory(a.result, 1.1e10).implementation = "other";
  test::add_memory(b.result, 2.6e10).implementation = "other";
  run("stream", 1e8, 1e9, 0.1, 0.04);
  const auto answer = compare(subjects());
  const OperatorCell& cell = answer.operators.at(0).cells[1].value();
  EXPECT_NEAR(cell.speedup->of_roof, 28 / 11.0, 1e-12);
  EXPECT_EQ(cell.speedup->of_a.label, "DRAM triad (ordinary)");
  EXPECT_EQ(cell.speedup->of_a.rate, 1.1e10);
  EXPECT_EQ(cell.speedup->of_b.label, "HBM3 triad (ordinary)");
  EXPECT_EQ(answer.operators[0].cells[0]->verdict.limit, "DRAM triad (ordinary)");
  EXPECT_TRUE(cell.speedup->like);
  EXPECT_NEAR(answer.best_units.at(0).cells[0]->ridge.value(), 100 / 11.0, 1e-12);
}

TEST_F(MachinePair, RoofsOfOtherOperatingPointsAreCalledUnlike) {
  b.result.ceilings[0].at = OperatingPoint::sustained;
  run("product", 1e11, 1e9, 2, 0.5);
  const Speedup why = compare(subjects()).operators.at(0).cells[1]->speedup.value();
  EXPECT_FALSE(why.like);
  EXPECT_EQ(why.of_a.label, "vector fp32 (burst)");
  EXPECT_EQ(why.of_b.label, "vector fp32 (sustained)");
}

/// 1 GB in 0.08 s at a roof of 10 GB/s: 125 %.
TEST_F(MachinePair, AboveItsRoofAPointSaysSo) {
  run("stream", 1e8, 1e9, 0.08, 0.05);
  const auto row = compare(subjects()).operators.at(0);
  EXPECT_TRUE(row.cells[0]->verdict.above_roof());
  EXPECT_FALSE(row.cells[1]->verdict.above_roof());
}

TEST_F(MachinePair, UnlikeOperatingPointsAreMarkedAndOtherScopesLeftOut) {
  a.result.ceilings[0].at = OperatingPoint::sustained;
  b.result.ceilings[1].scope = Scope::core;
  const auto answer = compare(subjects());
  ASSERT_EQ(answer.ceilings.size(), 1U);
  EXPECT_EQ(answer.ceilings[0].key.at, OperatingPoint::sustained);
  EXPECT_EQ(answer.ceilings[0].cells[1]->key.at, OperatingPoint::burst);
  EXPECT_FALSE(answer.ceilings[0].cells[1]->like);
  ASSERT_EQ(answer.unpaired.size(), 2U);
  EXPECT_EQ(answer.unpaired[0].labels, std::vector<std::string>{"memory triad sustained"});
  EXPECT_EQ(answer.unpaired[1].labels, std::vector<std::string>{"memory triad sustained (core)"});
}

TEST_F(MachinePair, LikeMeetsLikeBeforeAnythingElse) {
  test::add_peak(a.result, DType::fp32, 0.9e11, OperatingPoint::sustained);
  test::add_peak(a.result, DType::fp32, 0.8e11, OperatingPoint::library);
  test::add_peak(b.result, DType::fp32, 3.2e11, OperatingPoint::library);
  const auto answer = compare(subjects());
  ASSERT_EQ(answer.ceilings.size(), 3U);
  for (const CeilingRow& row : answer.ceilings) EXPECT_TRUE(row.cells[1]->like) << label_of(row.key);
  ASSERT_EQ(answer.unpaired.size(), 1U);
  EXPECT_EQ(answer.unpaired[0].labels, std::vector<std::string>{"vector fp32 sustained"});
}

/// Default sizes follow the caches: n = 1000 on A took 1/9 s for 1 GB (9 GB/s), n = 4000 on B 1/6 s for 4 GB (24 GB/s),
/// and smaller ones less. Both are memory-bound: 2.8 x the bandwidth, 24/28 against 9/10 of it.
TEST_F(MachinePair, OperatorsOfOtherSizesAreComparedByRateAndSaySo) {
  test::add_point(a.result, "stream", 1e8, 1e9, 1 / 9.0);
  test::add_point(a.result, "stream", 1e7, 1e8, 1).params = "n=100";
  test::add_point(b.result, "stream", 2e8, 2e9, 1).params = "n=2000";
  test::add_point(b.result, "stream", 4e8, 4e9, 1 / 6.0).params = "n=4000";
  test::add_point(b.result, "stream", 4e8, 4e9, 1).params = "n=4000,mask=causal";
  const auto answer = compare(subjects(), {.prices = {1, 1}});
  ASSERT_EQ(answer.operators.size(), 1U);
  const OperatorRow& row = answer.operators[0];
  EXPECT_EQ(row.key.params, "n=1000");
  EXPECT_EQ(row.cells[1]->key.params, "n=4000");
  EXPECT_FALSE(row.cells[1]->like);
  EXPECT_NEAR(row.cells[1]->ratio->value, 24 / 9.0, 1e-12);
  EXPECT_NEAR(row.cells[1]->ratio->low.value(), 24 / 9.0 * 0.99 / 1.01, 1e-12);
  EXPECT_NEAR(row.cells[1]->speedup->of_roof, 2.8, 1e-12);
  EXPECT_NEAR(product(*row.cells[1]->speedup), 24 / 9.0, 1e-12);
  EXPECT_FALSE(row.cells[1]->cost) << "another result";
  EXPECT_FALSE(answer.means.at(1)) << "nothing like is on both";
  ASSERT_EQ(answer.unpaired.size(), 2U);
  EXPECT_EQ(answer.unpaired[1].labels,
            (std::vector<std::string>{"stream fp32 n=2000 (cold)", "stream fp32 n=4000,mask=causal (cold)"}));
}

/// A datasheet's peak stands beside the burst, its bandwidth beside the triad, and both are called unlike.
TEST_F(MachinePair, ADatasheetIsBesideWhatWasMeasuredAndSaysSo) {
  test::add_peak(a.result, DType::fp32, 0.9e11, OperatingPoint::sustained);
  Ceiling& read = test::add_memory(a.result, 1.2e10);
  read.access = Access::read;
  read.stores = Stores::none;
  auto subjects = subjects_of(std::vector{a});
  subjects.push_back(subject_of(catalogue::find_device("A100 SXM4 80GB")));
  const auto answer = compare(subjects);
  ASSERT_EQ(answer.ceilings.size(), 2U);
  EXPECT_EQ(answer.ceilings[0].key.at, OperatingPoint::burst);
  EXPECT_NEAR(answer.ceilings[0].cells[1]->ratio->value, 195, 1e-9) << "19.5 Tflop/s against 100 Gflop/s";
  EXPECT_EQ(answer.ceilings[1].key.access, Access::triad);
  EXPECT_NEAR(answer.ceilings[1].cells[1]->ratio->value, 203.9, 1e-9) << "2039 GB/s against 10 GB/s";
  for (const CeilingRow& row : answer.ceilings) EXPECT_FALSE(row.cells[1]->like);
}

/// "H100 is Nx A100": dense fp16 989 / 312 = 3.17; bandwidth 3350 / 2039 = 1.643.
TEST(Comparison, TwoDatasheetsAreAlike) {
  const std::vector subjects{subject_of(catalogue::find_device("A100 SXM4 80GB")),
                             subject_of(catalogue::find_device("H100 SXM5 80GB"))};
  const auto answer = compare(subjects, {.dtypes = {DType::fp16}});
  bool peak = false, memory = false;
  for (const CeilingRow& row : answer.ceilings) {
    EXPECT_TRUE(row.cells[1]->like);
    if (row.key.name == "matrix" && row.key.accumulate == DType::fp32) {
      peak = true;
      EXPECT_NEAR(row.cells[1]->ratio->value, 3.17, 0.005);
    }
    if (row.key.name == main_memory_role) {
      memory = true;
      EXPECT_NEAR(row.cells[1]->ratio->value, 1.643, 0.0005);
    }
    EXPECT_EQ(row.key.dtype.value_or(DType::fp16), DType::fp16);
  }
  EXPECT_TRUE(peak && memory);
}

/// Operator x has ratios 2 and 8, their mean is 4; y has 1: sqrt(4 x 1) = 2. Weighted by A's times of 1, 2 and 1 s:
/// 2^((1 + 2 x 3 + 0) / 4); with y counted four times 2^(7 / 7).
TEST_F(MachinePair, MeansGiveEveryOperatorTheSameWeightOrEveryRowItsTime) {
  run("x", 1e8, 1e9, 1, 0.5);
  run("x", 1e8, 2e9, 2, 0.25);
  run("y", 1e8, 1e9, 1, 1);
  for (Result* result : {&a.result, &b.result}) result->points[1].params = "n=2000";
  test::add_point(a.result, "only_on_a", 1e8, 1e9, 100);
  const auto equal = compare(subjects()).means.at(1).value();
  EXPECT_NEAR(equal.ratio.value, 2, 1e-12);
  EXPECT_EQ(equal.rows, 3U);
  EXPECT_EQ(equal.operators, 2U);
  EXPECT_DOUBLE_EQ(equal.baseline_s, 4);
  EXPECT_DOUBLE_EQ(equal.other_s, 1.75);
  EXPECT_NEAR(equal.ratio.low.value(), 2 * 0.99 / 1.01, 1e-12) << "every time is ±1 %";
  EXPECT_NEAR(compare(subjects(), {.by_time = true}).means.at(1)->ratio.value, std::exp2(1.75), 1e-12);
  for (Result* result : {&a.result, &b.result}) result->points[2].count = 4;
  const auto counted = compare(subjects(), {.by_time = true}).means.at(1).value();
  EXPECT_TRUE(counted.counted);
  EXPECT_NEAR(counted.ratio.value, 2, 1e-12);
  b.result.points.clear();
  EXPECT_FALSE(compare(subjects()).means.at(1)) << "nothing on both";
}

TEST_F(MachinePair, RowsOfACoreAreInNoMeanOfTheNodeAndHaveNoPowerOfTheirOwn) {
  run("x", 1e8, 1e9, 1, 0.5);
  run("y", 1e8, 1e9, 1, 0.125);
  for (Result* result : {&a.result, &b.result}) {
    result->points[1].scope = Scope::core;
    result->points[1].conditions.power_w = 50;
  }
  const auto answer = compare(subjects());
  EXPECT_EQ(answer.means.at(1)->rows, 1U);
  EXPECT_NEAR(answer.means.at(1)->ratio.value, 2, 1e-12);
  for (const OperatorRow& row : answer.operators) EXPECT_FALSE(row.cells[0]->power_w);
  for (Result* result : {&a.result, &b.result}) result->points.erase(result->points.begin());
  EXPECT_EQ(compare(subjects()).means.at(1)->scope, Scope::core);
}

TEST_F(MachinePair, RepeatsMakeTheRatioSpanAllRuns) {
  run("x", 1e8, 1e9, 1.0, 0.9);
  NamedResult again = a;
  again.name = "a2.json";
  again.result.run.started_at = "2026-01-02T00:00:00Z";
  again.result.points[0].time = test::made_up(0.8);
  const auto subjects = subjects_of(std::vector{a, b, again});
  ASSERT_EQ(subjects.size(), 2U);
  const Ratio ratio = compare(subjects).operators.at(0).cells[1]->ratio.value();
  EXPECT_DOUBLE_EQ(ratio.value, 1) << "median of 1.0 and 0.8 against 0.9";
  EXPECT_DOUBLE_EQ(ratio.low.value(), 0.8 * 0.99 / 0.909);
  EXPECT_DOUBLE_EQ(ratio.high.value(), 1.01 / 0.891);
  EXPECT_EQ(ratio.difference(), Difference::within_noise);
}

/// 2 s at 1800 an hour cost 1; of powers 40, 60 and 50 W the median counts.
TEST_F(MachinePair, CostAndPower) {
  run("x", 1e8, 1e9, 2, 1);
  a.result.points[0].conditions.power_w = 50;
  const auto answer = compare(subjects(), {.prices = {1800, {}}});
  EXPECT_DOUBLE_EQ(answer.operators.at(0).cells[0]->cost.value(), 1);
  EXPECT_FALSE(answer.operators.at(0).cells[1]->cost);
  EXPECT_EQ(answer.operators.at(0).cells[0]->power_w, 50);
  EXPECT_FALSE(answer.operators.at(0).cells[1]->power_w);
  EXPECT_DOUBLE_EQ(work_per_price(1e9, 2), 1.8e12);
  PointQuantity quantity;
  quantity.rows.resize(4);
  quantity.rows[0].conditions.power_w = 40;
  quantity.rows[1].conditions.power_w = 60;
  quantity.rows[3].conditions.power_w = 50;
  EXPECT_EQ(power_of(quantity), 50);
  quantity.key.scope = Scope::core;
  EXPECT_FALSE(power_of(quantity)) << "the power is the whole device's";
}

/// A's vector unit does 50 Gflop/s in bf16, B's matrix unit 800: 16 times, at ridges of 5 and 800 / 28 flop/byte.
TEST_F(MachinePair, TheBestUnitOfEachTypeIsComparedWhateverUnitItIs) {
  test::add_peak(a.result, DType::bf16, 5e10);
  test::add_peak(b.result, DType::bf16, 8e11).name = "matrix";
  test::add_peak(b.result, DType::fp8_e4m3, 16e11).name = "matrix";
  const auto answer = compare(subjects());
  ASSERT_EQ(answer.best_units.size(), 3u) << "fp32, bf16 and fp8";
  const auto row_of = [&](DType dtype) {
    const auto of_type = [&](const CeilingRow& one) { return one.key.dtype == dtype; };
    return *std::ranges::find_if(answer.best_units, of_type);
  };
  const auto row = row_of(DType::bf16);
  EXPECT_EQ(row.cells[0]->key.name, "vector");
  EXPECT_DOUBLE_EQ(row.cells[0]->ridge.value(), 5);
  EXPECT_EQ(row.cells[1]->key.name, "matrix");
  EXPECT_DOUBLE_EQ(row.cells[1]->ratio->value, 16);
  EXPECT_DOUBLE_EQ(row.cells[1]->ridge.value(), 800 / 28.0);
  EXPECT_FALSE(row.cells[1]->like);
  const auto narrow = row_of(DType::fp8_e4m3);
  EXPECT_EQ(narrow.cells[0]->key.dtype, DType::fp32) << "which holds every value, at 100 Gflop/s";
  EXPECT_DOUBLE_EQ(narrow.cells[1]->ratio->value, 16);
  EXPECT_FALSE(narrow.cells[1]->like);
}

}  // namespace
}  // namespace gable::questions
