#include "core/questions/predict/prediction.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"
#include "core/operator.hpp"
#include "tests/unit/questions/made_up.hpp"

// The cases of the model that follow from two stated figures and an operator's work.
namespace gable::questions {
namespace {

Prediction of_operator(const char* name, const Params& params, DType dtype, double peak, double bandwidth) {
  const Types types = uniform_types(dtype);
  const auto stages = find_spec(name).work(params, types);
  return predict(
      machine_of(StatedRoofs{.flop_per_s = peak, .byte_per_s = bandwidth, .launch_s = {}}, std::vector{types}), stages,
      types);
}

Prediction of_work(double flop, double bytes, const StatedRoofs& roofs) {
  const Types types = uniform_types(DType::fp16);
  Stage stage;
  if (flop > 0) stage.work = {{Unit::multiply_add, flop}};
  stage.bytes_read = bytes;
  return predict(machine_of(roofs, std::vector{types}), std::vector{stage}, types);
}

TEST(Prediction, RidgePoints) {
  const auto ridge = [](DType dtype, double peak, double bandwidth) {
    return *of_operator("gemm", {{"m", 64}, {"n", 64}, {"k", 64}}, dtype, peak, bandwidth).ridge;
  };
  EXPECT_NEAR(ridge(DType::fp16, 312e12, 2.0e12), 156, 1e-9);
  EXPECT_NEAR(ridge(DType::fp32, 19.5e12, 2.0e12), 9.75, 1e-9);
  EXPECT_NEAR(ridge(DType::fp64, 9.7e12, 2.0e12), 4.85, 1e-9);
  EXPECT_NEAR(ridge(DType::bf16, 989e12, 3.35e12), 295.2, 0.05);
  EXPECT_NEAR(ridge(DType::bf16, 989e12, 4.8e12), 206.0, 0.05);
}

TEST(Prediction, GemmRegimeFollowsTheRidge) {
  const Params layer{{"m", 168}, {"n", 4096}, {"k", 4096}}, larger{{"m", 169}, {"n", 4096}, {"k", 4096}};
  EXPECT_EQ(of_operator("gemm", layer, DType::fp16, 312e12, 2.0e12).bound.limit.kind, LimitKind::bandwidth);
  EXPECT_EQ(of_operator("gemm", larger, DType::fp16, 312e12, 2.0e12).bound.limit.kind, LimitKind::compute);
}

TEST(Prediction, WeightsOverBandwidth) {
  const double h100 = of_work(0, 140e9, {.flop_per_s = {}, .byte_per_s = 3.35e12, .launch_s = {}}).bound.time_s;
  const double h200 = of_work(0, 140e9, {.flop_per_s = {}, .byte_per_s = 4.8e12, .launch_s = {}}).bound.time_s;
  EXPECT_NEAR(h100, 41.8e-3, 0.05e-3);
  EXPECT_NEAR(h200, 29.2e-3, 0.05e-3);
  EXPECT_NEAR(h100 / h200, 1.433, 5e-4);
  EXPECT_NEAR(of_work(0, 13.5e9, {.flop_per_s = {}, .byte_per_s = 2.0e12, .launch_s = {}}).bound.time_s, 6.75e-3, 1e-9);
}

TEST(Prediction, DecodeAttentionAtIntensityOne) {
  const auto a100 = of_work(1e9, 1e9, {.flop_per_s = 312e12, .byte_per_s = 2.0e12, .launch_s = {}});
  EXPECT_NEAR(*a100.attainable, 2e12, 1);
  EXPECT_NEAR(*a100.attainable / *a100.peak, 0.0064, 5e-5);
  const auto h100 = of_work(1e9, 1e9, {.flop_per_s = 989e12, .byte_per_s = 3.35e12, .launch_s = {}});
  EXPECT_NEAR(*h100.attainable / *h100.peak, 0.0034, 5e-5);
  EXPECT_EQ(h100.bound.limit.label, "the stated bandwidth");
  const auto denser = of_work(4e9, 1e9, {.flop_per_s = 312e12, .byte_per_s = 2.0e12, .launch_s = {}});
  EXPECT_NEAR(*denser.attainable / *a100.attainable, 4, 1e-9);
}

/// Products of 1e12 flop at 1e15 flop/s take 1 ms; 5e9 flop of vector units come beside them.
TEST(Prediction, TheRateOfPeakIsOfTheFlopsUnderIt) {
  MachineModel machine;
  machine.name = "two units";
  const Types types = uniform_types(DType::fp32);
  const auto add = [&](Unit unit, double per_s) {
    machine.roofline.add(ComputeRoof{.unit = unit,
                                     .dtype = DType::fp32,
                                     .accumulate = DType::fp32,
                                     .at = OperatingPoint::burst,
                                     .flop_per_s = per_s,
                                     .low = per_s,
                                     .high = per_s,
                                     .label = std::string(to_string(unit))});
  };
  add(Unit::matrix, 1e15);
  add(Unit::vector, 1e14);
  Stage stage;
  stage.work = {{Unit::multiply_add, 1e12}, {Unit::vector, 5e9}};
  const auto answer = predict(machine, std::vector{stage}, types);
  EXPECT_DOUBLE_EQ(answer.bound.time_s, 1e-3);
  EXPECT_DOUBLE_EQ(*answer.attainable, 1e15);
  EXPECT_DOUBLE_EQ(*answer.attainable / *answer.peak, 1);
}

TEST(Prediction, ShortWorkIsBoundByItsLaunch) {
  const auto one = of_work(1e6, 1e6, {.flop_per_s = 312e12, .byte_per_s = 2.0e12, .launch_s = 5e-6});
  EXPECT_EQ(one.bound.limit.kind, LimitKind::overhead);
  EXPECT_DOUBLE_EQ(one.bound.time_s, 5e-6);
}

TEST(Prediction, SaysWhichRoofsItLacks) {
  const Types types = uniform_types(DType::fp32);
  const auto softmax = find_spec("softmax").work({{"m", 8}, {"n", 8}}, types);
  const auto machine =
      machine_of(StatedRoofs{.flop_per_s = 1e12, .byte_per_s = 1e9, .launch_s = {}}, std::vector{types});
  EXPECT_EQ(predict(machine, softmax, types).missing, std::vector<std::string>{"exp fp32"});
}

/// 8 byte an element: 125 000 of them are 1 MB.
TEST(Prediction, SaysWhetherTheDataFitTheLevelThatIsNamed) {
  MachineModel machine;
  machine.roofline.set_levels({{"L2", 1e6}, {"DRAM", 0}});
  machine.roofline.add(BandwidthRoof{.level = "L2", .byte_per_s = 1e10, .low = 1e10, .high = 1e10, .label = "L2"});
  machine.roofline.add(BandwidthRoof{.level = "DRAM", .byte_per_s = 1e9, .low = 1e9, .high = 1e9, .label = "DRAM"});
  const Types types = uniform_types(DType::fp32);
  const auto in = [&](const char* level, Index n) {
    return predict(machine, find_spec("relu").work({{"n", n}}, types), types, level);
  };
  EXPECT_TRUE(in("L2", 125000).fits());
  EXPECT_FALSE(in("L2", 125001).fits());
  EXPECT_EQ(in("L2", 125001).working_set, 1000008);
  EXPECT_EQ(in("L2", 8).capacity, 1e6);
  EXPECT_TRUE(in("DRAM", 125001).fits());
  EXPECT_TRUE(in("", 125001).fits());
}

TEST(Prediction, LevelsThatAMachineLacksAreRefused) {
  const Types types = uniform_types(DType::fp32);
  const auto relu = find_spec("relu").work({{"n", 8}}, types);
  const auto machine =
      machine_of(StatedRoofs{.flop_per_s = 1e12, .byte_per_s = 1e9, .launch_s = {}}, std::vector{types});
  EXPECT_THROW(predict(machine, relu, types, "L2"), Error);
  EXPECT_THROW(machine_of(StatedRoofs{}, std::vector{types}), Error);
}

/// 1e12 flop at a burst of 1 Tflop/s, and at the 0.8 that it sustains.
TEST(Prediction, SaysWhatTheUnitsSustain) {
  Result result = test::made_up_result();
  test::add_peak(result, DType::fp32, 1e12);
  test::add_peak(result, DType::fp32, 8e11, OperatingPoint::sustained);
  test::add_memory(result, 1e12);
  const auto row = [&] {
    const Work work = work_of(PlainWork{1e12, 1e9, {}}, "work", DType::fp32);
    return predict(work, machine_of(result, "openmp", Scope::node), "");
  };
  EXPECT_DOUBLE_EQ(row().prediction.bound.time_s, 1);
  EXPECT_DOUBLE_EQ(row().sustained_s.value(), 1.25);
  result.ceilings.erase(result.ceilings.begin() + 1);
  EXPECT_FALSE(row().sustained_s) << "only the burst was measured";
}

TEST(Prediction, AWiderTypeThatIsMerelyFasterIsNoMissingUnit) {
  MachineModel machine;
  const auto add = [&](DType dtype, double flop_per_s) {
    machine.roofline.add(ComputeRoof{.unit = Unit::vector,
                                     .dtype = dtype,
                                     .accumulate = DType::fp32,
                                     .flop_per_s = flop_per_s,
                                     .low = flop_per_s,
                                     .high = flop_per_s,
                                     .label = "vector"});
  };
  add(DType::fp32, 2e12);
  EXPECT_NE(widening_note(machine, uniform_types(DType::bf16)), "");
  add(DType::bf16, 1e12);
  EXPECT_EQ(widening_note(machine, uniform_types(DType::bf16)), "");
}

}  // namespace
}  // namespace gable::questions
