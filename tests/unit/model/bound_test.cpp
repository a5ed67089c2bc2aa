#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/model/roofline.hpp"
#include "core/verdict/measured_judgement.hpp"
#include "stages.hpp"

using namespace gable;
using namespace gable::test;

namespace {
const Types fp16 = matrix_types(DType::fp16);
const Types fp32 = uniform_types(DType::fp32);

/// 1 GFLOP/s, 1 GB/s, T0 of 1 us.
Roofline unit_machine(bool synchronous) {
  Roofline roofline = simple(Unit::vector, fp32, 1e9, 1e9);
  roofline.set_overhead({1e-6, synchronous, "launch"});
  return roofline;
}

/// Decoding one token reads every weight once.
std::vector<Stage> decode(double weight_bytes, double batch) {
  return {stage(Unit::matrix, weight_bytes * batch, weight_bytes, 0)};
}

Point measured(double seconds, std::vector<Stage> stages) {
  Point point;
  point.types = fp32;
  point.stages = std::move(stages);
  point.time.value = seconds;
  return point;
}
}  // namespace

TEST(Bound, DecodeFloorOfAModel) {
  const Roofline h100 = simple(Unit::matrix, fp16, 989e12, 3.35e12);
  const Roofline h200 = simple(Unit::matrix, fp16, 989e12, 4.8e12);
  const Roofline a100 = simple(Unit::matrix, fp16, 312e12, 2.0e12);
  const double on_h100 = h100.judge(decode(140e9, 1), fp16).bound->time_s;
  const double on_h200 = h200.judge(decode(140e9, 1), fp16).bound->time_s;
  EXPECT_NEAR(on_h100, 41.8e-3, 0.05e-3);
  EXPECT_NEAR(1 / on_h100, 23.9, 0.05);
  EXPECT_NEAR(on_h200, 29.2e-3, 0.05e-3);
  EXPECT_NEAR(on_h100 / on_h200, 1.433, 0.0005);
  EXPECT_NEAR(a100.judge(decode(13.5e9, 1), fp16).bound->time_s, 6.75e-3, 1e-8);
  EXPECT_NEAR(a100.judge(decode(14e9, 1), fp16).bound->time_s, 7.0e-3, 1e-8);
  const Bound batch32 = *h100.judge(decode(140e9, 32), fp16).bound;
  EXPECT_NEAR(batch32.time_s / 32, 1.31e-3, 0.005e-3);
  EXPECT_NEAR(32 / batch32.time_s, 766, 0.5);
  EXPECT_EQ(batch32.limit.kind, LimitKind::bandwidth);
}

TEST(Bound, RatioOfTwoMachinesDependsOnTheLimit) {
  const Roofline a100 = simple(Unit::matrix, fp16, 312e12, 2.0e12);
  const Roofline h100 = simple(Unit::matrix, fp16, 989e12, 3.35e12);
  const auto gain = [&](const std::vector<Stage>& work) {
    return a100.judge(work, fp16).bound->time_s / h100.judge(work, fp16).bound->time_s;
  };
  EXPECT_NEAR(gain(gemm(8192, 8192, 8192, 2)), 3.17, 0.005);
  EXPECT_NEAR(gain(gemm(1, 8192, 8192, 2)), 1.675, 0.0005);
}

TEST(Bound, HalvingTheBytesDoublesMemoryBoundSpeedWhateverTheComputePeak) {
  const Types fp8 = matrix_types(DType::fp8_e4m3);
  const double wide = simple(Unit::matrix, fp16, 989e12, 3.35e12).judge(gemm(1, 4096, 4096, 2), fp16).bound->time_s;
  const double narrow = simple(Unit::matrix, fp8, 1979e12, 3.35e12).judge(gemm(1, 4096, 4096, 1), fp8).bound->time_s;
  const double no_faster = simple(Unit::matrix, fp8, 989e12, 3.35e12).judge(gemm(1, 4096, 4096, 1), fp8).bound->time_s;
  EXPECT_NEAR(wide / narrow, 2, 1e-12);
  EXPECT_EQ(narrow, no_faster);
}

TEST(Bound, SynchronousOverheadAddsQueuedOverheadHides) {
  const std::vector<Stage> small{stage(Unit::vector, 250, 500, 0)};
  EXPECT_NEAR(unit_machine(true).judge(small, fp32).bound->time_s, 1.5e-6, 1e-15);
  EXPECT_EQ(unit_machine(true).judge(small, fp32).bound->limit.kind, LimitKind::overhead);
  EXPECT_NEAR(unit_machine(false).judge(small, fp32).bound->time_s, 1.0e-6, 1e-15);
  EXPECT_EQ(unit_machine(false).judge(small, fp32).bound->limit.label, "launch");
  const std::vector<Stage> large{stage(Unit::vector, 250, 5000, 0)};
  EXPECT_NEAR(unit_machine(true).judge(large, fp32).bound->time_s, 6e-6, 1e-15);
  EXPECT_NEAR(unit_machine(false).judge(large, fp32).bound->time_s, 5e-6, 1e-15);
  EXPECT_NEAR(unit_machine(false).judge(large, fp32).bound->overhead_s, 0, 1e-15);
}

TEST(Bound, EveryLaunchCosts) {
  std::vector<Stage> stages{stage(Unit::vector, 1, 1000, 0)};
  stages[0].launches = 3;
  const Bound bound = *unit_machine(true).judge(stages, fp32).bound;
  EXPECT_NEAR(bound.overhead_s, 3e-6, 1e-15);
  EXPECT_NEAR(bound.work_s, 1e-6, 1e-15);
  EXPECT_NEAR(bound.time_s, 4e-6, 1e-15);
}

TEST(Bound, StagesAddAndTheLargestShareIsNamed) {
  const Roofline roofline = simple(Unit::vector, fp32, 1e9, 1e9);
  const std::vector<Stage> stages{stage(Unit::vector, 10, 300, 0), stage(Unit::vector, 900, 10, 0),
                                  stage(Unit::vector, 10, 400, 0)};
  const Bound bound = *roofline.judge(stages, fp32).bound;
  EXPECT_NEAR(bound.time_s, 1.6e-6, 1e-15);
  EXPECT_EQ(bound.limit.kind, LimitKind::compute);
  EXPECT_EQ(bound.limit.stage, 1U);
  const std::vector<Stage> more_memory{stages[0], stage(Unit::vector, 500, 10, 0), stages[2]};
  EXPECT_EQ(roofline.judge(more_memory, fp32).bound->limit.label, "DRAM");
  EXPECT_EQ(roofline.judge(more_memory, fp32).bound->limit.stage, 2U);
}

TEST(Bound, ProductsAreJudgedByTheFasterUnitAndTheLimitNamesIt) {
  Roofline roofline;
  roofline.add(compute_roof(Unit::vector, DType::fp32, DType::fp32, 1e12));
  std::vector<Stage> product{stage(Unit::multiply_add, 4e12, 0, 0)};
  const Types half = uniform_types(DType::fp16);
  EXPECT_NEAR(roofline.judge(product, half).bound->time_s, 4.0, 1e-12);
  auto tensor = compute_roof(Unit::matrix, DType::fp16, DType::fp32, 8e12);
  tensor.label = "matrix fp16";
  roofline.add(tensor);
  EXPECT_NEAR(roofline.judge(product, half).bound->time_s, 0.5, 1e-12);
  EXPECT_EQ(roofline.judge(product, half).bound->limit.label, "matrix fp16");
  EXPECT_NEAR(roofline.judge(product, fp32).bound->time_s, 4.0, 1e-12);
}

/// 1e9 flop/s, 1e8 divisions or roots a second: 1e6 flop take 1 ms, 4e5 divisions 4 ms.
TEST(Bound, DivisionsMeetTheDividerWhereThereIsOne) {
  Roofline roofline = unit_machine(false);
  std::vector<Stage> work{stage(Unit::vector, 1e6, 8, 0)};
  work.front().work.push_back({Unit::divide, 4e5});
  const Judgement without = roofline.judge(work, fp32);
  EXPECT_DOUBLE_EQ(without.bound->time_s, 1e-3);
  EXPECT_TRUE(without.missing.empty()) << "as in earlier files of GPUs";
  roofline.add(ComputeRoof{.unit = Unit::divide,
                           .dtype = DType::fp32,
                           .accumulate = DType::fp32,
                           .at = OperatingPoint::burst,
                           .flop_per_s = 1e8,
                           .low = 1e8,
                           .high = 1e8,
                           .label = "divide fp32"});
  const Judgement with = roofline.judge(work, fp32);
  EXPECT_DOUBLE_EQ(with.bound->time_s, 4e-3);
  EXPECT_EQ(with.bound->limit.label, "divide fp32");
  EXPECT_NE(roofline.peak(uniform_types(DType::bf16), Unit::divide), nullptr) << "of the type in which it is done";
}

TEST(Bound, OperationsThatMeetTheSameRoofAddUp) {
  const Roofline vector_only = simple(Unit::vector, fp32, 1e9, 1e15);
  std::vector<Stage> stages{stage(Unit::multiply_add, 3e9, 1, 0)};
  stages[0].work.push_back({Unit::vector, 1e9});
  EXPECT_NEAR(vector_only.judge(stages, fp32).bound->time_s, 4.0, 1e-12);
  Roofline both = vector_only;
  both.add(compute_roof(Unit::matrix, DType::fp32, DType::fp32, 6e9));
  EXPECT_NEAR(both.judge(stages, fp32).bound->time_s, 1.0, 1e-12) << "side by side on two units";
}

TEST(Bound, HotDataAreServedByTheirLevelAndColdDataByMemory) {
  Roofline roofline;
  roofline.add(bandwidth_roof("L2", 100e9));
  roofline.add(bandwidth_roof("DRAM", 10e9));
  roofline.set_levels({{"L2", 1e6}, {"DRAM", 0}});
  const auto seconds = [&](double size, bool cold) {
    return roofline.judge(std::vector{stage(Unit::vector, 1, size, 0)}, fp32, cold).bound->time_s;
  };
  EXPECT_NEAR(seconds(1e6, false), 1e-5, 1e-12);
  EXPECT_NEAR(seconds(1e6, true), 1e-4, 1e-12);
  EXPECT_NEAR(seconds(2e6, false), 1e-4, 1e-12);  // half of 2 MB from memory
  EXPECT_NEAR(seconds(8e6, false), 8e-4, 1e-12);
}

TEST(Bound, AnUpdateInPlaceIsBoundByTheUpdateRoof) {
  Roofline roofline;
  roofline.set_levels({{"DRAM", 0}});
  roofline.add(bandwidth_roof("DRAM", 50e9, Access::copy, Stores::ordinary));
  roofline.add(bandwidth_roof("DRAM", 80e9, Access::update, Stores::ordinary));
  Stage scaled = stage(Unit::vector, 0, 4e9, 4e9);
  EXPECT_DOUBLE_EQ(roofline.judge(std::vector{scaled}, uniform_types(DType::fp32)).bound->time_s, 8.0 / 50);
  EXPECT_EQ(roofline.judge(std::vector{scaled}, uniform_types(DType::fp32)).bound->limit.label, "DRAM copy");
  scaled.bytes_updated = 4e9;
  EXPECT_DOUBLE_EQ(roofline.judge(std::vector{scaled}, uniform_types(DType::fp32)).bound->time_s, 8.0 / 80);
  EXPECT_EQ(roofline.judge(std::vector{scaled}, uniform_types(DType::fp32)).bound->limit.label, "DRAM update");
}

namespace {
/// L1 of 1 kB inside L2 of 10 kB: 800 GB/s, 400 GB/s, 100 GB/s in order; lines at random 64 GB/s of L2, 6.4 of memory.
Roofline machine_with_random_roofs() {
  Roofline roofline;
  roofline.set_levels({{"L1", 1e3}, {"L2", 10e3}, {"DRAM", 0}});
  roofline.add(bandwidth_roof("L1", 800e9, Access::read));
  roofline.add(bandwidth_roof("L2", 400e9, Access::read));
  roofline.add(bandwidth_roof("DRAM", 100e9, Access::read));
  roofline.add(bandwidth_roof("L2", 64e9, Access::random));
  roofline.add(bandwidth_roof("DRAM", 6.4e9, Access::random));
  return roofline;
}

/// A million elements of 8 bytes out of so many bytes.
Stage gathered(double span) {
  Stage one = stage(Unit::vector, 0, 8e6, 0);
  one.random_lines = 1e6;
  one.random_span = span;
  return one;
}
}  // namespace

TEST(Bound, LinesAtRandomAreBoundByTheLevelsThatCannotHoldThem) {
  const Roofline roofline = machine_with_random_roofs();
  const auto bound = [&](double span) { return *roofline.judge(std::vector{gathered(span)}, fp32).bound; };
  // 8 MB in order take 80 us; 64 MB of lines from memory 10 ms, of which the caches' 11 kB hold a part.
  EXPECT_NEAR(bound(22e6).time_s, 1e-2 * (1 - 11e3 / 22e6), 1e-9);
  EXPECT_EQ(bound(22e6).limit.label, "DRAM random");
  EXPECT_EQ(bound(22e6).limit.kind, LimitKind::bandwidth);
  EXPECT_NEAR(bound(22e3).time_s, 5e-3, 1e-9);  // half of them
  EXPECT_NEAR(bound(4e3).time_s, 1e-3 * 3 / 4, 1e-9);
  EXPECT_EQ(bound(4e3).limit.label, "L2 random");
  EXPECT_NEAR(bound(1e3).time_s, 8e-5, 1e-9);
  EXPECT_EQ(bound(1e3).limit.label, "DRAM read");
}

TEST(Bound, CachesHoldNoLineOfAColdRunBeforeItIsRead) {
  const auto traffic = [](double lines, double span) {
    Stage one = stage(Unit::vector, 0, 1, 0);
    one.random_lines = lines;
    one.random_span = span;
    return random_traffic(one, std::vector<Level>{{"L2", 10e3}, {"DRAM", 0}}, true).back();
  };
  EXPECT_DOUBLE_EQ(traffic(1, 640), 64);
  EXPECT_NEAR(traffic(2, 640), 64 * 1.9, 1e-9);  // the second read meets the same one of ten lines in a tenth of runs
  EXPECT_DOUBLE_EQ(traffic(5, 8), 64);
}

TEST(Bound, NoOtherRoofStandsInForLinesAtRandomNorTheyForIt) {
  Roofline in_order = simple(Unit::vector, fp32, 1e9, 1e9);
  EXPECT_TRUE(in_order.judge(std::vector{gathered(1e9)}, fp32).missing.empty());
  EXPECT_NEAR(in_order.judge(std::vector{gathered(1e9)}, fp32).bound->time_s, 8e-3, 1e-12);
  Roofline at_random;
  at_random.set_levels({{"DRAM", 0}});
  at_random.add(bandwidth_roof("DRAM", 1e9, Access::random));
  EXPECT_FALSE(at_random.byte_per_s("DRAM"));
  EXPECT_FALSE(at_random.nearest("DRAM"));
  const Judgement judgement = at_random.judge(std::vector{stage(Unit::vector, 0, 8, 0)}, fp32);
  EXPECT_EQ(judgement.missing_names(), std::vector<std::string>{"DRAM bandwidth"});
}

TEST(Bound, ALevelWithoutARoofIsLeftOut) {
  Roofline roofline;
  roofline.add(bandwidth_roof("DRAM", 10e9));
  roofline.set_levels({{"L2", 1e6}, {"DRAM", 0}});
  EXPECT_FALSE(roofline.judge(std::vector{stage(Unit::vector, 1, 1000, 0)}, fp32).bound);
  EXPECT_TRUE(roofline.judge(std::vector{stage(Unit::vector, 1, 1000, 0)}, fp32, true).bound);
}

TEST(Bound, AMissingComputeRoofIsLeftOutNotReplaced) {
  const Roofline roofline = simple(Unit::vector, fp32, 1e9, 1e9);
  const Types fp64 = uniform_types(DType::fp64);
  EXPECT_NEAR(roofline.judge(std::vector{stage(Unit::vector, 1e6, 10, 0)}, fp64).bound->time_s, 1e-8, 1e-15);
}

TEST(Bound, InnerTrafficAppliesOnlyWhereItIsGiven) {
  Roofline roofline = simple(Unit::matrix, fp16, 1e12, 1e9);
  roofline.add(bandwidth_roof("L1", 10e9));
  roofline.set_levels({{"L1", 100}, {"DRAM", 0}});
  std::vector<Stage> stages{stage(Unit::matrix, 1000, 1e6, 0)};
  EXPECT_EQ(roofline.judge(stages, fp16).bound->limit.label, "DRAM");
  stages[0].inner = {{"L1", 2e7}};
  EXPECT_EQ(roofline.judge(stages, fp16).bound->limit.label, "L1");
  EXPECT_NEAR(roofline.judge(stages, fp16).bound->time_s, 2e-3, 1e-12);
}

TEST(Bound, ALinkIsItsOwnRegime) {
  Roofline roofline = simple(Unit::vector, fp32, 1e12, 1e12);
  BandwidthRoof pcie = bandwidth_roof("PCIe", 10e9);
  pcie.link = true;
  roofline.add(pcie);
  std::vector<Stage> stages{stage(Unit::vector, 1000, 1e6, 0)};
  stages[0].inner = {{"PCIe", 1e6}};
  const Bound bound = *roofline.judge(stages, fp32).bound;
  EXPECT_NEAR(bound.time_s, 1e-4, 1e-12);
  EXPECT_EQ(classify(bound, 1.2e-4), Regime::link_bound);
}

TEST(Classify, EachRegime) {
  const Roofline roofline = unit_machine(true);
  const auto regime = [&](double flop, double byte, double seconds) {
    return classify(*roofline.judge(std::vector{stage(Unit::vector, flop, byte, 0)}, fp32).bound, seconds);
  };
  EXPECT_EQ(regime(1e5, 10, 1.2e-4), Regime::compute_bound);
  EXPECT_EQ(regime(10, 1e5, 1.2e-4), Regime::memory_bound);
  EXPECT_EQ(regime(10, 10, 1.2e-6), Regime::overhead_bound);
}

TEST(Classify, LowIntensityAloneIsNotMemoryBound) {
  const Roofline roofline = simple(Unit::vector, fp32, 1e9, 1e9);
  const Bound bound = *roofline.judge(std::vector{stage(Unit::vector, 10, 1e5, 0)}, fp32).bound;
  EXPECT_EQ(classify(bound, 1.9e-4), Regime::memory_bound);
  EXPECT_EQ(classify(bound, 2.1e-4), Regime::below_roof);
  EXPECT_EQ(classify(bound, 1.9e-4, 0.9), Regime::below_roof);
  EXPECT_THROW(classify(bound, 0), Error);
}

TEST(Place, FillsThePointAndClearsItWhereNothingApplies) {
  const Roofline roofline = simple(Unit::vector, fp32, 1e9, 1e9);
  Point point = measured(1.25e-4, {stage(Unit::vector, 10, 1e5, 0)});
  set_verdict(point, roofline);
  EXPECT_EQ(point.regime, Regime::memory_bound);
  EXPECT_EQ(point.limit, "DRAM");
  EXPECT_NEAR(point.bound_s.value(), 1e-4, 1e-15);
  EXPECT_NEAR(point.fraction_of_limit.value(), 0.8, 1e-12);
  point.status = Status::error;
  set_verdict(point, roofline);
  EXPECT_FALSE(point.regime);
  EXPECT_FALSE(point.fraction_of_limit);
  EXPECT_EQ(point.limit, "");
}

TEST(Place, NoVerdictWhereTheRoofOfALevelInUseIsMissing) {
  Roofline roofline = simple(Unit::vector, fp32, 1e9, 1e9);
  roofline.set_levels({{"L2", 1e6}, {"DRAM", 0}});
  Point point = measured(1e-3, {stage(Unit::vector, 10, 1000, 0)});
  set_verdict(point, roofline);
  EXPECT_FALSE(point.regime);
  EXPECT_NEAR(point.bound_s.value(), 1e-8, 1e-15) << "10 flop at 1 GFLOP/s";
  EXPECT_FALSE(point.fraction_of_limit);
  EXPECT_EQ(point.limit, "");
  EXPECT_EQ(point.status, Status::ok);
  EXPECT_EQ(point.reason,
            "no verdict: no roof for L2 bandwidth, which may decide; at least 10 ns by the roofs measured");
  point.cold = true;  // draws on main memory only
  set_verdict(point, roofline);
  EXPECT_EQ(point.regime, Regime::below_roof);
  EXPECT_EQ(point.reason, "");
}

TEST(Place, NoVerdictWhereTheRoofOfAUnitInUseIsMissing) {
  Roofline roofline = simple(Unit::vector, fp32, 1e9, 1e9);
  const std::vector<Stage> exponentials{stage(Unit::exp, 1e4, 1e5, 0)};
  Point point = measured(1.25e-4, exponentials);
  set_verdict(point, roofline);
  EXPECT_FALSE(point.regime);
  EXPECT_FALSE(point.fraction_of_limit);
  EXPECT_EQ(point.reason, "no verdict: no roof for exp fp32, which may decide; at least 100 us by the roofs measured");
  roofline.add(compute_roof(Unit::exp, DType::fp32, DType::fp32, 1e9));
  set_verdict(point, roofline);
  EXPECT_EQ(point.regime, Regime::memory_bound);
}

TEST(Place, WhatALibraryReachedIsNoRoofToJudgeBy) {
  Roofline roofline;
  roofline.add(compute_roof(Unit::vector, DType::fp32, DType::fp32, 1e9, OperatingPoint::library));
  roofline.add(bandwidth_roof("DRAM", 1e9));
  roofline.set_levels({{"DRAM", 0}});
  Point point = measured(1e-3, {stage(Unit::multiply_add, 9e5, 10, 0)});
  set_verdict(point, roofline);
  EXPECT_FALSE(point.regime);
  EXPECT_EQ(point.reason,
            "no verdict: no roof for multiply_add fp32, which may decide; at least 10 ns by the roofs measured");
}

TEST(Place, TrafficWithoutAnyKnownLevelHasNoVerdict) {
  Roofline roofline;
  roofline.add(compute_roof(Unit::vector, DType::fp32, DType::fp32, 1e9));
  Point point = measured(1e-3, {stage(Unit::vector, 9e5, 10, 0)});
  set_verdict(point, roofline);
  EXPECT_FALSE(point.regime);
  EXPECT_EQ(point.reason,
            "no verdict: no roof for memory bandwidth, which may decide; at least 900 us by the roofs measured");
}

TEST(Bound, TheLimitHoldsTheRoofThatItNames) {
  const Roofline roofline = simple(Unit::vector, fp32, 1e9, 2e9);
  const Limit arithmetic = roofline.judge(std::vector{stage(Unit::vector, 1e6, 10, 0)}, fp32).bound->limit;
  ASSERT_TRUE(arithmetic.compute);
  EXPECT_EQ(*arithmetic.compute, roofline.compute()[0]);
  EXPECT_FALSE(arithmetic.bandwidth);
  const Limit traffic = roofline.judge(std::vector{stage(Unit::vector, 10, 1e6, 0)}, fp32).bound->limit;
  ASSERT_TRUE(traffic.bandwidth);
  EXPECT_EQ(*traffic.bandwidth, roofline.bandwidth()[0]);
  EXPECT_FALSE(traffic.compute);
  EXPECT_TRUE(same_roof(traffic, traffic));
  EXPECT_FALSE(same_roof(traffic, arithmetic));
  Limit faster = traffic;
  faster.bandwidth->byte_per_s *= 2;
  EXPECT_FALSE(same_roof(traffic, faster)) << "a label alone is no roof";
}

TEST(Judgement, ABoundWithoutARoofOfItsTermsIsNoVerdict) {
  const Roofline roofline = simple(Unit::vector, fp32, 1e9, 1e9);
  const Judgement whole = roofline.judge(std::vector{stage(Unit::vector, 10, 1e6, 0)}, fp32);
  EXPECT_TRUE(whole.stands());
  EXPECT_TRUE(whole.missing_names().empty());
  const std::vector<Stage> stages{stage(Unit::exp, 10, 1e6, 0), stage(Unit::exp, 10, 1e6, 0)};
  const Judgement part = roofline.judge(stages, fp32);
  ASSERT_TRUE(part.bound);
  EXPECT_NEAR(part.bound->time_s, 2e-3, 1e-12) << "what is left out leaves a least time";
  EXPECT_FALSE(part.stands());
  EXPECT_EQ(part.missing_names(), std::vector<std::string>{"exp fp32"}) << "once";
  EXPECT_EQ(part.missing[0].unit, Unit::exp);
  const Judgement nothing = Roofline().judge(stages, fp32);
  EXPECT_FALSE(nothing.bound);
  EXPECT_FALSE(nothing.stands());
}
