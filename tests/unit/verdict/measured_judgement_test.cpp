// What is said of work whose roofs are not all there.
#include "core/verdict/measured_judgement.hpp"

#include <gtest/gtest.h>

#include "tests/unit/model/stages.hpp"

using namespace gable;
using namespace gable::test;

namespace {
const Types fp32 = uniform_types(DType::fp32);
const Types fp64 = uniform_types(DType::fp64);
const Types half = uniform_types(DType::fp16);

Ceiling compute_row(const char* unit, DType dtype, double rate) {
  Ceiling row{.device = "openmp",
              .kind = CeilingKind::compute,
              .name = unit,
              .dtype = dtype,
              .at = OperatingPoint::burst,
              .unit = "op/s"};
  row.value.value = rate;
  row.value.ci_low = 0.9 * rate;
  row.value.ci_high = 1.1 * rate;
  return row;
}

Roofline roofs_of(const std::vector<Ceiling>& rows) {
  return make_roofline(rows, "openmp", Scope::node, {{"L2", 1e6}, {"DRAM", 0}});
}

/// 10 GB/s, and the roofs of these rows.
Roofline with_memory(const std::vector<Ceiling>& rows) {
  Roofline roofline = roofs_of(rows);
  roofline.add(bandwidth_roof("DRAM", 10e9));
  return roofline;
}

/// 1 GB from main memory, 0.1 s at 10 GB/s, and so many exponentials in fp32.
std::vector<Stage> exponentials(double count) { return {stage(Unit::exp, count, 1e9, 0)}; }

double slowest(const Roofline& roofline, const Types& types, Unit unit) {
  const auto rate = slowest_rate(roofline, types, {"missing", unit, ""});
  return rate ? rate->per_s : 0;
}
}  // namespace

TEST(SlowestRate, ARowThatIsNoRoofShowsWhatItsUnitReachesAtLeast) {
  auto narrow = compute_row("exp", DType::fp32, 8e9);
  narrow.variant = "isa:avx2";
  EXPECT_DOUBLE_EQ(slowest(roofs_of({narrow}), fp32, Unit::exp), 0.9 * 8e9);
  auto disturbed = compute_row("exp", DType::fp32, 16e9);
  disturbed.status = Status::suspect;
  EXPECT_DOUBLE_EQ(slowest(roofs_of({narrow, disturbed}), fp32, Unit::exp), 0.9 * 16e9) << "the higher of the two";
  disturbed.theory_at_clock = 10e9;
  EXPECT_DOUBLE_EQ(slowest(roofs_of({disturbed}), fp32, Unit::exp), 10e9) << "no more than its units can do";
  disturbed.value.ci_low.reset();
  EXPECT_EQ(slowest(roofs_of({disturbed}), fp32, Unit::exp), 0) << "without an interval it shows nothing";
  narrow.status = Status::skipped;
  EXPECT_EQ(slowest(roofs_of({narrow}), fp32, Unit::exp), 0) << "it was not measured";
}

TEST(SlowestRate, ExponentialsByThoseOfFp64AndByTheVectorUnit) {
  const auto exp64 = compute_row("exp", DType::fp64, 4e9);
  EXPECT_DOUBLE_EQ(slowest(roofs_of({exp64}), fp32, Unit::exp), 8e9) << "twice: half the bits";
  EXPECT_EQ(slowest(roofs_of({compute_row("exp", DType::fp32, 4e9)}), fp64, Unit::exp), 0) << "not the other way";
  const auto vector = compute_row("vector", DType::fp32, 640e9);
  EXPECT_DOUBLE_EQ(slowest(roofs_of({vector}), fp32, Unit::exp), 10e9) << "640 Gflop/s at 64 flop each";
  EXPECT_DOUBLE_EQ(slowest(roofs_of({vector}), half, Unit::convert), 10e9);
  EXPECT_DOUBLE_EQ(slowest(roofs_of({vector, exp64}), fp32, Unit::exp), 10e9) << "the higher of the two";
}

TEST(SlowestRate, VectorsByOneLaneAndByFp64) {
  EXPECT_DOUBLE_EQ(slowest(roofs_of({compute_row("scalar", DType::fp32, 5e9)}), fp32, Unit::vector), 5e9);
  EXPECT_DOUBLE_EQ(slowest(roofs_of({compute_row("vector", DType::fp64, 80e9)}), fp32, Unit::vector), 80e9);
  EXPECT_EQ(slowest(roofs_of({compute_row("vector", DType::fp32, 80e9)}), fp64, Unit::vector), 0)
      << "GPUs have a 64th of it";
}

TEST(SlowestRate, ProductsByWhatALibraryReached) {
  auto library = compute_row("vector", DType::fp32, 300e9);
  library.at = OperatingPoint::library;
  EXPECT_DOUBLE_EQ(slowest(roofs_of({library}), fp32, Unit::multiply_add), 0.9 * 300e9);
  EXPECT_EQ(slowest(roofs_of({}), fp32, Unit::multiply_add), 0);
}

TEST(SlowestRate, ALevelByTheSlowestStreamFurtherOut) {
  Roofline roofline;
  roofline.set_levels({{"L2", 1e6}, {"L3", 1e7}, {"DRAM", 0}});
  roofline.add(bandwidth_roof("DRAM", 20e9, Access::read));
  roofline.add(bandwidth_roof("DRAM", 12e9, Access::write, Stores::ordinary));
  roofline.add(bandwidth_roof("DRAM", 9e9, Access::copy, Stores::non_temporal));
  EXPECT_DOUBLE_EQ(slowest_rate(roofline, fp32, {"L2 bandwidth", {}, "L2"})->per_s, 12e9);
  EXPECT_FALSE(slowest_rate(roofline, fp32, {"DRAM bandwidth", {}, "DRAM"})) << "nothing lies further out";
  EXPECT_FALSE(slowest_rate(roofline, fp32, {"PCIe bandwidth", {}, "PCIe"}));
}

/// 8e9 exponentials/s at least, granted half: 1e8 of them take 25 ms at most, beside 100 ms of memory.
TEST(Judge, ARoofThatIsFarAwayLeavesTheVerdictToTheOthers) {
  const Roofline roofline = with_memory({compute_row("exp", DType::fp64, 4e9)});
  const MeasuredJudgement judged = judge_measured(roofline, exponentials(1e8), fp32);
  EXPECT_TRUE(judged.stands());
  EXPECT_NEAR(judged.bound->time_s, 0.1, 1e-12);
  ASSERT_EQ(judged.negligible.size(), 1U);
  EXPECT_EQ(judged.negligible[0].name, "exp fp32");
  EXPECT_EQ(why_no_verdict(judged), "");
  EXPECT_EQ(roofline.judge(exponentials(1e8), fp32).missing_names(), std::vector<std::string>{"exp fp32"})
      << "who asks for missing roofs, as a plan does, is told of it all the same";
}

/// Half of 8e9 a second: 3.9e8 take 97.5 ms, 4.1e8 take 102.5 ms and would be the limit.
TEST(Judge, ARoofThatWouldDecideAtHalfOfItsSlowestRateMayDecide) {
  const Roofline roofline = with_memory({compute_row("exp", DType::fp64, 4e9)});
  EXPECT_TRUE(judge_measured(roofline, exponentials(3.9e8), fp32).stands());
  const MeasuredJudgement judged = judge_measured(roofline, exponentials(4.1e8), fp32);
  EXPECT_FALSE(judged.stands());
  EXPECT_EQ(judged.may_decide, std::vector<std::string>{"exp fp32"});
  EXPECT_EQ(why_no_verdict(judged), "no roof for exp fp32, which may decide; at least 100 ms by the roofs measured");
}

/// Three stages; in the middle one exponentials might take longer than its bytes, but it is a small part of the whole:
/// 4e7 at 4e9/s are 10 ms instead of 6 ms, beside 2 x 100 ms.
TEST(Judge, ASmallStageThatWouldGrowALittleLeavesTheWholeAsItIs) {
  const Roofline roofline = with_memory({compute_row("exp", DType::fp64, 4e9)});
  const std::vector<Stage> stages{exponentials(0)[0], stage(Unit::exp, 4e7, 6e7, 0), exponentials(0)[0]};
  EXPECT_TRUE(judge_measured(roofline, stages, fp32).stands()) << "210 ms instead of 206 ms";
  const std::vector<Stage> larger{exponentials(0)[0], stage(Unit::exp, 1.2e8, 6e7, 0), exponentials(0)[0]};
  EXPECT_FALSE(judge_measured(roofline, larger, fp32).stands()) << "230 ms instead of 206 ms";
}

TEST(Judge, OneOfTwoMissingRoofsIsEnough) {
  const Roofline roofline = with_memory({compute_row("exp", DType::fp64, 4e9)});
  auto stages = exponentials(1e8);
  stages[0].work.push_back({Unit::matrix, 1e3});
  const MeasuredJudgement judged = judge_measured(roofline, stages, fp32);
  EXPECT_EQ(judged.may_decide, std::vector<std::string>{"matrix fp32"}) << "nothing is known of it";
  EXPECT_EQ(judged.negligible.size(), 1U);
}

TEST(Judge, WhereNoRoofAppliesThereIsNoLeastTime) {
  const MeasuredJudgement judged = judge_measured(roofs_of({}), exponentials(1e8), fp32);
  EXPECT_FALSE(judged.bound);
  EXPECT_EQ(why_no_verdict(judged), "no roof for exp fp32, DRAM bandwidth");
}

TEST(Place, SaysWhyAVerdictStandsWithoutARoof) {
  Point point;
  point.types = fp32;
  point.stages = exponentials(1e8);
  point.time.value = 0.125;
  set_verdict(point, with_memory({compute_row("exp", DType::fp64, 4e9)}));
  EXPECT_EQ(point.regime, Regime::memory_bound);
  EXPECT_NEAR(point.fraction_of_limit.value(), 0.8, 1e-12);
  EXPECT_EQ(point.reason,
            "no roof for exp fp32, which cannot decide even at half of its slowest plausible rate (twice exp fp64, of "
            "numbers twice as wide)");
}

TEST(Place, WhereARoofMayDecideThereIsALeastTimeAndNoVerdict) {
  Point point;
  point.types = fp32;
  point.stages = exponentials(1e9);
  point.time.value = 0.5;
  set_verdict(point, with_memory({compute_row("exp", DType::fp64, 4e9)}));
  EXPECT_EQ(point.status, Status::ok);
  EXPECT_FALSE(point.regime);
  EXPECT_FALSE(point.fraction_of_limit);
  EXPECT_EQ(point.limit, "");
  EXPECT_NEAR(point.bound_s.value(), 0.1, 1e-12);
}
