#include "core/questions/explain/explanation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "tests/unit/questions/explain/levers.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

Point& add_sized(Result& result, const char* op, const char* params, double time_s) {
  Point& point = test::add_point(result, op, 1, 1, time_s);
  point.params = params;
  point.stages = find_spec(op).work(Params::parse(params), point.types);
  return point;
}

/// Both with the sizes of one work.
void add_residuals(Result& result, double unfused_s, double fused_s) {
  add_sized(result, "residual_layernorm_unfused", "m=100000,n=1000", unfused_s);
  add_sized(result, "residual_layernorm_fused", "m=100000,n=1000", fused_s);
}

/// Two stages that hand 2e9 byte on: 6e9 byte become 2e9.
TEST(Levers, FusingStagesSavesWhatTheyHandOn) {
  Result result = machine();
  auto& point = test::add_point(result, "mine", 1e8, 1e9, 0.1);
  Stage first, second;
  first.bytes_read = 1e9;
  first.bytes_written = 2e9;
  second.bytes_read = 2e9;
  second.bytes_written = 1e9;
  first.work = second.work = {{Unit::vector, 1e8}};
  point.stages = {first, second};
  EXPECT_NEAR(factor(explained(result, point), "fuse", "2 launches"), 3, 1e-9);
}

/// x read and y written once instead of four times: 8 of 32 bytes a value are left.
TEST(Levers, FusingLaunchesOfOneStageSavesThemToo) {
  Result result = machine();
  auto& point = add_sized(result, "elementwise_chain_unfused", "n=100000000,stages=4", 1);
  EXPECT_NEAR(factor(explained(result, point), "fuse", "4 launches"), 4, 1e-9);
}

/// h is a result: of (2 + 1) + (1 + 1) arrays, and rows beside them, 2 + 2 are left.
TEST(Levers, FusingKeepsEveryResult) {
  Result result = machine();
  auto& point = add_sized(result, "residual_layernorm_unfused", "m=100000,n=1000", 1);
  EXPECT_NEAR(factor(explained(result, point), "fuse", "2 launches"), 5.0 / 4, 1e-4);
}

/// Of 3 parts (2 read, 1 written) two in a row hand 1 part on: 6 become 4.
TEST(Levers, FusingWithANeighbourSavesWhatItHandsOn) {
  Result result = machine();
  const auto answer = explained(result, test::add_point(result, "mine", 1e8, 3e9, 0.04));
  EXPECT_NEAR(factor(answer, "fuse", "before or behind"), 1.5, 1e-9);
}

/// gemv fp32, 1e4 x 1e4: 4e8 byte a row at 100 GB/s are 4 ms; a row of a large batch costs its 2e8 flop, 0.2 ms.
TEST(Levers, BatchingAProductGrowsTowardsTheRidge) {
  Result result = machine();
  auto& point = add_sized(result, "gemv", "m=10000,n=10000", 5e-3);
  const auto answer = explained(result, point);
  const double gain = factor(answer, "batch");
  EXPECT_GT(gain, 19);
  EXPECT_LE(gain, 20.1) << "never more than the ridge allows: 4 ms / 0.2 ms";
}

/// Of the result's first point, once its machine converts fp16 fast.
void expect_half_the_bytes_at_fp16(Result& result) {
  Ceiling& convert = test::add_peak(result, DType::fp16, 1e14);
  convert.name = "convert";
  convert.unit = "op/s";
  EXPECT_NEAR(factor(explained(result, result.points.front()), "lower precision", "fp16"), 2, 1e-3);
}

/// Half the bytes at fp16, where the convert roof is far away.
TEST(Levers, LowerPrecisionNeedsRoofsOfTheNarrowerType) {
  Result result = machine();
  auto& point = add_sized(result, "relu", "n=1000000000", 0.1);
  EXPECT_EQ(factor(explained(result, point), "lower precision"), 0);
  expect_half_the_bytes_at_fp16(result);
}

/// A kernel of the user's is not simply stored in four or six bits or in blocks that share a scale.
TEST(Levers, LowerPrecisionLeavesOutTypesThatNeedScales) {
  Result result = machine();
  for (const DType dtype : {DType::fp8_e4m3, DType::mxfp4, DType::fp4_e2m1, DType::fp6_e2m3, DType::mxfp8_e4m3})
    test::add_peak(result, dtype, 1e14);
  auto& point = test::add_point(result, "mine", 1e12, 1e9, 1.25);
  point.implementation = "user";
  const auto answer = explained(result, point);
  EXPECT_NE(find(answer, "lower precision", "fp8_e4m3 instead of"), nullptr);
  for (const std::string_view left_out : {"fp4", "fp6", "mxfp"})
    EXPECT_EQ(find(answer, "lower precision", left_out), nullptr) << left_out;
}

/// 800 kB come from main memory; 400 kB are less than four L1 (of 131 kB in all), but still half the bytes.
TEST(Levers, LowerPrecisionKeepsTheDataWhereTheyAre) {
  Result result = machine();
  auto& point = add_sized(result, "relu", "n=100000", 1e-5);
  point.cold = false;
  expect_half_the_bytes_at_fp16(result);
}

/// 1 ms of work and 1 ms of launch.
TEST(Levers, FewerLaunchesGainTheirCost) {
  Result result = machine();
  test::add_row(result, CeilingKind::overhead, "kokkos_launch", "s", 1e-3);
  EXPECT_NEAR(factor(explained(result, test::add_point(result, "mine", 1e6, 1e8, 2.2e-3)), "fewer launches"), 2, 1e-9);
}

/// 1e9 byte at 100 GB/s are 10 ms; updated in place at 280 GB/s they are 3.57 ms.
Result with_updates(double time_s, const char* op = "relu", const char* implementation = "kokkos") {
  Result result = machine();
  test::add_memory(result, 280e9).access = Access::update;
  auto& point = test::add_point(result, op, 1, 1e9, time_s);
  point.implementation = implementation;
  point.stages.front().bytes_read = point.stages.front().bytes_written = 0.5e9;
  return result;
}

/// Measured in 8 ms, 125 % of its bound, it has 8 / 3.57 = 2.24 to gain in place; in 12.5 ms what its bound has.
TEST(Levers, APointFasterThanItsBoundStartsFromItsTime) {
  const Result fast = with_updates(8e-3), slow = with_updates(12.5e-3);
  EXPECT_NEAR(factor(explained(fast, fast.points.front()), "better access pattern", "written over"),
              8e-3 / (1e9 / 280e9), 1e-9);
  EXPECT_NEAR(factor(explained(slow, slow.points.front()), "better access pattern", "written over"), 2.8, 1e-9);
}

/// gemv, 4 ms by its bound, in 3.2 ms: a row of a large batch takes 0.2 ms, so at most 16 times are to gain.
TEST(Levers, ABatchOfAPointFasterThanItsBoundToo) {
  Result result = machine();
  auto& point = add_sized(result, "gemv", "m=10000,n=10000", 3.2e-3);
  const double gain = factor(explained(result, point), "batch");
  EXPECT_GT(gain, 15);
  EXPECT_LE(gain, 16.1);
}

/// A result of 10 ms by the roofs that took 5 is no measurement.
TEST(Levers, OfAnInvalidPointAreNone) {
  const Result result = with_updates(5e-3);
  const auto answer = explained(result, result.points.front());
  EXPECT_TRUE(answer.invalid);
  EXPECT_TRUE(answer.levers.empty());
}

/// A neighbour's value is needed after its place was overwritten: stencils and transposes have no such lever.
TEST(Levers, InPlaceIsOfferedToOperatorsThatSaySo) {
  for (const char* op : {"stencil27", "transpose", "lbm_d3q19", "residual_layernorm_unfused", "unknown"}) {
    const Result result = with_updates(12.5e-3, op);
    EXPECT_EQ(find(explained(result, result.points.front()), "better access pattern", "written over"), nullptr) << op;
  }
  const Result users = with_updates(12.5e-3, "stencil27", "user");
  const auto answer = explained(users, users.points.front());
  const auto* lever = find(answer, "better access pattern", "written over");
  ASSERT_NE(lever, nullptr) << "what the user's kernel needs is not known, and said";
  EXPECT_NE(lever->assumption.find("only its own"), std::string::npos);
}

/// Non-temporal triad twice as fast as the ordinary one.
TEST(Levers, StreamingStoresWhereTheirRoofIsHigher) {
  Result result = machine();
  test::add_memory(result, 200e9).stores = Stores::non_temporal;
  const auto answer = explained(result, test::add_point(result, "mine", 1e6, 1e9, 12e-3));
  EXPECT_NEAR(factor(answer, "better access pattern", "non-temporal"), 2, 1e-9);
  const std::string words = distance_words(answer);
  EXPECT_NE(words.find("bytes and with ordinary stores takes less than 10 ms"), std::string::npos) << words;
  EXPECT_NE(words.find("with non-temporal stores it takes at least 5 ms"), std::string::npos) << words;
  Result alone = machine();
  EXPECT_EQ(distance_words(explained(alone, test::add_point(alone, "mine", 1e6, 1e9, 12e-3))).find("stores"),
            std::string::npos);
}

TEST(Trust, OfCallsThatAProfilerTimed) {
  Result result = machine();
  auto& point = test::add_point(result, "mine", 1e6, 1e9, 12e-3);
  point.time.ci_low = point.time.ci_high = std::nullopt;
  point.count = 40;
  point.imported.emplace();
  EXPECT_NE(trust_words(explained(result, point)).find("mean of 40 calls, without"), std::string::npos);
  point.imported->shortest_s = 10e-3;
  point.imported->longest_s = 30e-3;
  const std::string words = trust_words(explained(result, point));
  EXPECT_NE(words.find("mean of 40 calls of 10 ms to 30 ms"), std::string::npos) << words;
}

/// An L1 roof ten times the memory's.
TEST(Levers, CacheBlockingMovesTheBytesInwards) {
  Result result = machine();
  Ceiling& cache = test::add_memory(result, 1e12);
  cache.name = "L1";
  auto& point = test::add_point(result, "relu", 1e6, 1e9, 12e-3);
  EXPECT_EQ(find(explained(result, point), "cache blocking"), nullptr) << "it reads each byte once";
  point.op = "mine";
  point.implementation = "user";
  const auto answer = explained(result, point);
  EXPECT_NEAR(factor(answer, "cache blocking", "L1"), 10, 1e-9);
  EXPECT_NE(find(answer, "cache blocking")->assumption.find("several times"), std::string::npos);
}

/// fp32 halves the bytes of a memory-bound kernel of the user's in fp64, and unit stride gains 1.2.
TEST(Levers, DoublePrecisionIsGivenUpLast) {
  Result result = machine();
  test::add_peak(result, DType::fp64, 1e12);
  auto& point = test::add_point(result, "mine", 1e6, 1e9, 12e-3);
  point.implementation = "user";
  point.types = uniform_types(DType::fp64);
  const auto answer = explained(result, point);
  EXPECT_NEAR(factor(answer, "lower precision", "fp32"), 2, 1e-9);
  EXPECT_NE(best_lever(answer)->name, "lower precision");
}

/// Llama-3-70B's weights on the other machine: 4.8 / 3.35 = 1.433 (model.md).
TEST(Levers, AnotherDeviceByBothBounds) {
  Result result = test::made_up_result();
  test::add_peak(result, DType::fp32, 1e15);
  test::add_memory(result, 3.35e12);
  auto& point = test::add_point(result, "mine", 1e9, 140e9, 45e-3);
  Result faster = test::made_up_result("Other");
  test::add_peak(faster, DType::fp32, 1e15);
  test::add_memory(faster, 4.8e12);
  const std::vector<MachineModel> others{machine_of(faster, "openmp", Scope::node)};
  EXPECT_NEAR(factor(explained(result, point, operator_specs(), others), "other device", "Other"), 1.433, 5e-4);
}

TEST(Levers, AnotherImplementationIsAsFastAsItWasMeasured) {
  Result result = machine();
  test::add_point(result, "gemm", 1e12, 1e9, 3.0);
  auto& library = test::add_point(result, "gemm", 1e12, 1e9, 1.5);
  library.implementation = "library";
  EXPECT_NEAR(factor(explained(result, result.points.front()), "other implementation", "library"), 2, 1e-9);
  EXPECT_EQ(find(explained(result, result.points.back()), "other implementation"), nullptr);
}

/// The CPU time of explaining so many points of one work, the fastest of which takes 20 ms.
double seconds_for(int points) {
  Result result = machine();
  for (int i = 0; i < points; ++i) test::add_point(result, "mine", 1e9, 1e9, 0.02 + 1e-6 * i);
  set_verdicts(result);
  const std::clock_t begin = std::clock();
  const auto all = explain_device(result, "openmp", operator_specs(), {});
  const double taken = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(all.points.size(), result.points.size());
  for (const Explanation& one : all.points) {
    const double gain = one.point.time.value / 0.02;
    EXPECT_NEAR(factor(one, "other implementation"), gain >= least_gain ? gain : 0, 1e-9);
  }
  return taken;
}

/// Four times the points take four times as long; 16 times, were each compared with all others.
TEST(Levers, ManyPointsOfOneWorkAreComparedInLinearTime) { EXPECT_LT(seconds_for(8000), 8 * seconds_for(2000)); }

/// 45 ms apart and 30 ms fused, each ±1 %: 1.5 times as fast, from 44.55 / 30.3 to 45.45 / 29.7.
TEST(Levers, AFusedOperatorIsAsFastAsItWasMeasured) {
  Result result = machine();
  add_residuals(result, 45e-3, 30e-3);
  const auto answer = explained(result, result.points.front());
  const Lever* fuse = find(answer, "fuse", "its 2 launches in one, measured as residual_layernorm_fused (kokkos)");
  ASSERT_TRUE(fuse && fuse->factor && fuse->factor_low && fuse->factor_high);
  EXPECT_NEAR(*fuse->factor, 45.0 / 30, 1e-9);
  EXPECT_NEAR(*fuse->factor_low, 45 * 0.99 / (30 * 1.01), 1e-9);
  EXPECT_NEAR(*fuse->factor_high, 45 * 1.01 / (30 * 0.99), 1e-9);
  EXPECT_EQ(fuse->measured, result.points.back().id);
  EXPECT_NE(fuse->assumption.find("measured in this file"), std::string::npos) << fuse->assumption;
  EXPECT_NE(fuse->assumption.find("by the roofs the factor is 1.25x"), std::string::npos) << "5 of 4 arrays";
  EXPECT_EQ(std::ranges::count(answer.levers, "fuse", &Lever::name), 1) << "one line, not two that contradict";
  EXPECT_EQ(find(explained(result, result.points.back()), "fuse", "measured"), nullptr) << "it is the fused one";
}

TEST(Levers, OnlyTheSameWorkInTheSameMannerIsAMeasuredFusion) {
  for (const auto& change :
       {+[](Point& point) { point.params = "m=100000,n=2000"; },
        +[](Point& point) { point.types = uniform_types(DType::fp64); }, +[](Point& point) { point.cold = false; },
        +[](Point& point) { point.threads = 1; }, +[](Point& point) { point.status = Status::suspect; }}) {
    Result result = machine();
    add_residuals(result, 45e-3, 30e-3);
    change(result.points.back());
    const auto answer = explained(result, result.points.front());
    EXPECT_EQ(find(answer, "fuse", "measured"), nullptr);
    EXPECT_NEAR(factor(answer, "fuse", "2 launches"), 5.0 / 4, 1e-4) << "what the roofs say is left";
  }
}

/// 30 ms apart and 33 ms fused: the roofs' 5 / 4 is not what this kernel gives, and the line says so.
TEST(Levers, AFusedOperatorThatIsSlowerIsSaid) {
  Result result = machine();
  add_residuals(result, 30e-3, 33e-3);
  const auto answer = explained(result, result.points.front());
  const Lever* fuse = find(answer, "fuse", "2 launches");
  ASSERT_TRUE(fuse);
  EXPECT_NEAR(fuse->factor.value(), 5.0 / 4, 1e-4);
  EXPECT_EQ(fuse->measured, result.points.back().id);
  EXPECT_NE(fuse->assumption.find("residual_layernorm_fused (kokkos)"), std::string::npos) << fuse->assumption;
  EXPECT_NE(fuse->assumption.find("takes 1.1 times as long"), std::string::npos) << fuse->assumption;
}

/// 30 ms apart and 30.1 ms fused, each ±1 %: from 29.7 / 30.4 to 30.3 / 29.8, with 1 between them.
TEST(Levers, AFusedOperatorThatMakesNoDifferenceIsSaid) {
  Result result = machine();
  add_residuals(result, 30e-3, 30.1e-3);
  const auto answer = explained(result, result.points.front());
  const Lever* fuse = find(answer, "fuse", "2 launches");
  ASSERT_TRUE(fuse);
  EXPECT_EQ(fuse->measured, result.points.back().id);
  EXPECT_NE(fuse->assumption.find("no difference was measured (0.997x, 0.977x to 1.02x)"), std::string::npos)
      << fuse->assumption;
}

/// The same work in both, so that the roofs promise nothing: what was measured is said all the same.
TEST(Levers, AFusedOperatorIsNamedWhereTheRoofsPromiseNothing) {
  OperatorSpec mine = find_spec("residual_layernorm_unfused");
  mine.name = "mine_unfused";
  mine.fused = "mine_fused";
  const std::vector<const OperatorSpec*> specs{&mine};
  for (const double fused_s : {30e-3, 33e-3}) {
    Result result = machine();
    add_residuals(result, 30e-3, fused_s);
    Stage& first = result.points.front().stages.front();  // a first stage of next to nothing is soon saved
    first.bytes_read = first.bytes_written = 1;
    result.points.front().op = "mine_unfused";
    result.points.back().op = "mine_fused";
    const auto answer = explained(result, result.points.front(), specs);
    const Lever* fuse = find(answer, "fuse", "measured as mine_fused (kokkos)");
    ASSERT_TRUE(fuse && fuse->factor) << fused_s;
    EXPECT_NEAR(*fuse->factor, 30e-3 / fused_s, 1e-9);
    EXPECT_EQ(fuse->measured, result.points.back().id);
    EXPECT_EQ(fuse->assumption.find("no difference was measured") != std::string::npos, fused_s == 30e-3)
        << fuse->assumption;
  }
}

TEST(Levers, ComeInOrderOfTheirGainAndNothingIsNotShown) {
  Result result = machine();
  test::add_memory(result, 200e9).stores = Stores::non_temporal;
  test::add_point(result, "mine", 1e6, 1e9, 10.1e-3);
  const auto answer = explained(result, result.points.front());
  double last = 1e30;
  bool unjudged = false;
  for (const Lever& lever : answer.levers) {
    EXPECT_FALSE(unjudged && lever.factor) << "what cannot be judged comes last";
    unjudged = unjudged || !lever.factor;
    if (!lever.factor) continue;
    EXPECT_LE(*lever.factor, last);
    EXPECT_GE(*lever.factor, least_gain) << "no fusion was measured here";
    last = *lever.factor;
  }
  EXPECT_EQ(find(answer, "better access pattern", "unit stride"), nullptr) << "1 % is nothing";
}

}  // namespace
/// 2e10 flop take 20 ms at 1 Tflop/s and 2.5 at 8 in tf32, the 84 MB at 100 GB/s less.
TEST(Levers, ProductsOfFp32InTf32WhereTenBitsSuffice) {
  Result result = machine();
  test::add_peak(result, DType::tf32, 8e12).name = "matrix";
  auto& point = add_sized(result, "gemm", "m=1000,n=10000,k=1000", 0.02);
  const auto answer = explained(result, point);
  const Lever* lever = find(answer, "lower precision", "tf32 instead of fp32");
  ASSERT_TRUE(lever);
  EXPECT_NEAR(lever->factor.value(), 8, 1e-9);
  EXPECT_TRUE(lever->assumption.starts_with("10 bits of mantissa suffice")) << lever->assumption;
}

}  // namespace gable::questions
