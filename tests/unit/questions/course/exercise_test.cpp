// Exercises with the model's known answers.
#include "core/questions/course/exercise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "core/operator.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

using namespace test;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const Exercise* find(const std::vector<Exercise>& list, const std::string& begin) {
  const auto found = std::ranges::find_if(list, [&](const Exercise& one) {
    return one.id == begin || (begin.ends_with('/') && one.id.starts_with(begin));
  });
  return found == list.end() ? nullptr : &*found;
}

/// The same, which must be there.
const Exercise& at(const std::vector<Exercise>& list, const std::string& begin) {
  const Exercise* const found = find(list, begin);
  if (!found) throw std::out_of_range("no exercise " + begin);
  return *found;
}

/// The device of a made-up result at a scope, as A.
std::vector<ExerciseDevice> device_at(const Result& result, Scope scope) {
  ExerciseDevice device;
  device.letter = "A";
  device.name = "A " + result.devices.front().name;
  device.id = result.devices.front().id;
  device.scope = scope;
  device.machine = machine_of(result, device.id, scope);
  device.processor = true;
  return {device};
}

std::vector<Exercise> exercises_of(const Result& result, Operators operators = {}) {
  return exercises(result, device_at(result, Scope::node), operators);
}

/// An A100 at the round figures of the model's cases: 2 TB/s, 19.5 TFLOP/s in fp32, 9.7 TFLOP/s in fp64.
Result a100() {
  Result result = made_up_result("A100");
  add_peak(result, DType::fp32, 19.5e12);
  add_peak(result, DType::fp64, 9.7e12);
  add_memory(result, 2e12);
  return result;
}

TEST(Exercises, RidgesAreThoseOfTheModelsCases) {
  const auto list = exercises_of(a100());
  EXPECT_DOUBLE_EQ(at(list, "ridge/A/fp32").answer, 9.75);
  EXPECT_DOUBLE_EQ(at(list, "ridge/A/fp64").answer, 4.85);
  EXPECT_EQ(at(list, "ridge/A/fp32").unit, "flop/byte");
}

/// At 0.1 flop/byte memory decides: 0.2 TFLOP/s, and twice the memory is twice as fast. At 100 flop/byte it is 19.5
/// TFLOP/s, and faster memory gains nothing.
TEST(Exercises, LandingsFollowTheRoofline) {
  Result result = a100();
  add_point(result, "relu", 1e11, 1e12, 1.0);
  set_verdicts(result);
  auto list = exercises_of(result);
  EXPECT_DOUBLE_EQ(at(list, "landing/").answer, 200) << "GFLOP/s";
  EXPECT_DOUBLE_EQ(at(list, "double/").answer, 2);
  const auto named = [&](double answer) {
    const auto& mistakes = at(list, "landing/").mistakes;
    const auto found = std::ranges::find(mistakes, answer, &Mistake::answer);
    return found == mistakes.end() ? "" : found->name;
  };
  EXPECT_EQ(named(1600), "bits for bytes");
  EXPECT_EQ(named(25), "bits for bytes");

  Result dense = a100();
  add_point(dense, "gemm", 1e14, 1e12, 6.0);
  set_verdicts(dense);
  list = exercises_of(dense);
  EXPECT_DOUBLE_EQ(at(list, "landing/").answer, 19500);
  EXPECT_EQ(named(19500 * 8), "") << "no bytes decide";
  EXPECT_DOUBLE_EQ(at(list, "double/").answer, 1);
}

TEST(Exercises, WithoutFiguresThereAreNone) {
  EXPECT_TRUE(exercises(Result{}, {}, {}).empty());
  EXPECT_TRUE(exercises_of(made_up_result("nothing measured")).empty());
}

/// 0.1 Tflop over 1 TB: the student divides.
TEST(Exercises, LandingsNameFlopsAndBytesAndNotTheirQuotient) {
  Result result = a100();
  add_point(result, "relu", 1e11, 1e12, 1.0);
  set_verdicts(result);
  const auto list = exercises_of(result);
  for (const char* begin : {"landing/", "double/"}) {
    ASSERT_NE(find(list, begin), nullptr);
    for (const char* figure : {"100 GFLOP", "1 TB", "19.5 TFLOP/s", "2 TB/s", "n=1000"})
      EXPECT_TRUE(has(at(list, begin).question, figure)) << figure << ": " << at(list, begin).question;
  }
  EXPECT_TRUE(has(at(list, "landing/").working, "0.1 flop/byte")) << at(list, "landing/").working;
}

/// One core with 10 GB/s and 100 GFLOP/s beside a node with ten times of both: 0.1 flop/byte on the core is 1 GFLOP/s
/// by its own memory, 10 by the node's.
TEST(Exercises, APointIsSetBesideRoofsOfItsOwnScope) {
  Result result = made_up_result();
  add_peak(result, DType::fp32, 1e12);
  add_memory(result, 1e11);
  for (Ceiling* row : {&add_peak(result, DType::fp32, 1e11), &add_memory(result, 1e10)}) {
    row->scope = Scope::core;
    row->threads = 1;
  }
  Point& point = add_point(result, "relu", 1e8, 1e9, 0.2);
  point.scope = Scope::core;
  point.threads = 1;
  set_verdicts(result);
  EXPECT_EQ(find(exercises_of(result), "landing/"), nullptr) << "the node ran no operator";
  const auto core = exercises(result, device_at(result, Scope::core), {});
  EXPECT_DOUBLE_EQ(at(core, "landing/").answer, 1);
  EXPECT_EQ(find(exercises_of(result), "cores/"), nullptr) << "10 times as fast on 4 cores is no textbook's";
  result.ceilings.front().value = test::made_up(3.9e11);
  const auto four = exercises_of(result);
  EXPECT_DOUBLE_EQ(at(four, "cores/").answer, 4);
  EXPECT_DOUBLE_EQ(at(four, "cores/A/measured").answer, 3.9);
  EXPECT_TRUE(has(at(four, "cores/").question, "on one core alone and on 4 cores"));
  EXPECT_EQ(find(core, "cores/"), nullptr);
}

/// A result with rows beside those of a100(): scalar code, without fused multiply-add, stores past the caches.
Result with_ablations(double scalar, double no_fma, double past) {
  Result result = a100();
  add_peak(result, DType::fp32, scalar).name = "scalar";
  add_peak(result, DType::fp32, no_fma).variant = "no_fma";
  add_memory(result, past).stores = Stores::non_temporal;
  for (Ceiling& row : result.ceilings) {
    row.implementation = "avx512";
    row.conditions.clock_hz = 2e9;
  }
  return result;
}

/// Where the figures are the textbook's it is to be predicted, and to be measured.
TEST(Exercises, WhatTheMachineBearsOutIsPredictedAndMeasured) {
  const auto list = exercises_of(with_ablations(19.5e12 / 16, 9.75e12, 2.7e12));
  EXPECT_EQ(at(list, "simd/A").answer, 16) << "512 bits over 32";
  EXPECT_EQ(at(list, "simd/A").kind, ExerciseKind::predict);
  EXPECT_TRUE(has(at(list, "simd/A").question, "16 numbers of fp32")) << at(list, "simd/A").question;
  EXPECT_EQ(at(list, "fma/A").answer, 2);
  EXPECT_DOUBLE_EQ(at(list, "stores/A").answer, 4.0 / 3) << "of a triad three bytes move with the fetch four";
  EXPECT_TRUE(has(at(list, "stores/A").question, "two arrays are read, a third one is written"));
  EXPECT_DOUBLE_EQ(at(list, "stores/A/measured").answer, 1.35) << "2.7 over 2 TB/s";
  EXPECT_EQ(at(list, "stores/A/measured").kind, ExerciseKind::measure);
  for (const char* name : {"simd/A/why", "fma/A/why", "stores/A/why"}) EXPECT_EQ(find(list, name), nullptr) << name;
  const auto kinds = [](const Exercise& one) { return one.kind; };
  EXPECT_TRUE(std::ranges::is_sorted(list, {}, kinds)) << "predictions first";
}

/// Half as fast as vectors of 16 numbers ask for: the textbook is not asked for, but why.
TEST(Exercises, WhatContradictsTheTextbookAsksWhy) {
  // 4 cores at 2 GHz: 19.5e12 / 4 / 2e9 / 16 / 2 = 76.17 instructions a cycle, scalar code 2 times as many
  Result result = with_ablations(19.5e12 / 8, 19e12, 2e12 * 0.98);
  add_memory(result, 2.6e12).access = Access::update;
  const auto list = exercises_of(result);
  EXPECT_EQ(find(list, "simd/A/measured"), nullptr);
  EXPECT_NEAR(at(list, "simd/A/why").answer, 76.17, 0.01);
  EXPECT_TRUE(has(at(list, "simd/A/why").question, "vectors hold 16 numbers of fp32, and are 8 times as fast"));
  EXPECT_TRUE(has(at(list, "simd/A/why").working, "half as wide"));
  EXPECT_NEAR(at(list, "fma/A/why").answer, 19e12 / 4 / 2e9 / 16, 1e-9) << "one operation on 16 numbers each";
  EXPECT_NEAR(at(list, "stores/A/why").answer, 2e3 * 4 / 3, 1e-9) << "GB/s with the fetch";
  EXPECT_TRUE(has(at(list, "stores/A/why").working, "the fetch is there")) << at(list, "stores/A/why").working;
}

/// A row that may be anything within a factor of 2 bears nothing out, and contradicts nothing.
TEST(Exercises, WhatIsTooUncertainIsNotAsked) {
  Result result = with_ablations(19.5e12 / 16, 9.75e12, 2.7e12);
  result.ceilings.back().value.ci_low = 1.8e12;
  result.ceilings.back().value.ci_high = 3.6e12;
  EXPECT_EQ(find(exercises_of(result), "stores/"), nullptr);
}

/// Of 2.7 over 2 TB/s an interval from 1.1 to 1.45 is not within 15 % of 4/3, and not beyond.
TEST(Exercises, WhatOnlyTouchesTheTextbookIsNotAsked) {
  Result result = with_ablations(19.5e12 / 16, 9.75e12, 2.7e12);
  result.ceilings.back().value.ci_low = 2.2e12;
  result.ceilings.back().value.ci_high = 2.87e12;
  EXPECT_EQ(find(exercises_of(result), "stores/"), nullptr);
}

/// 10 us for a launch and 2 for a node of a graph; what may be anything within a factor of 2 is passed by.
TEST(Exercises, GraphsAreAskedAboutByTheFirstPairThatIsCertain) {
  Result result = made_up_result("Some GPU");
  add_row(result, CeilingKind::overhead, std::string(graph_node_launch), "s", 2e-6);
  add_row(result, CeilingKind::overhead, std::string(awaited_launch), "s", 1e-5);
  const auto list = exercises_of(result);
  const double certain = at(list, "graph/A/measured").answer;
  result.ceilings.back().value.ci_low = 7e-6;
  result.ceilings.back().value.ci_high = 1.4e-5;
  EXPECT_EQ(find(exercises_of(result), "graph/"), nullptr);
  add_row(result, CeilingKind::overhead, std::string(awaited_launch), "s", 1e-5);
  EXPECT_EQ(at(exercises_of(result), "graph/A/measured").answer, certain);
}

/// 1 TB in 0.4 s is 2.5 TB/s where main memory moves 2: 0.5 s by the textbook.
TEST(Exercises, ACacheIsTheReasonWhereTheWholeIntervalSaysSo) {
  Result result = a100();
  Point& point = add_point(result, "relu", 1e11, 1e12, 0.4);
  point.regime = Regime::memory_bound;
  point.limit_kind = LimitKind::bandwidth;
  point.limit_level = "L1";
  point.fraction_of_limit = 0.9;
  const auto why = [&] {
    const auto list = exercises_of(result);
    return std::ranges::any_of(list, [](const Exercise& one) { return one.kind == ExerciseKind::why; });
  };
  EXPECT_TRUE(why());
  point.time.ci_high = 0.5;
  EXPECT_FALSE(why());
}

/// Two multiplications and additions in each of 8 lanes a cycle: 4 cores x 16 x 3 GHz = 192 GFLOP/s.
TEST(Exercises, PeaksFollowFromCoresAndClock) {
  Result result = made_up_result("Some CPU");
  Ceiling& row = add_peak(result, DType::fp64, 1.9e11);
  row.theory_at_clock = 1.92e11;
  row.conditions.clock_hz = 3e9;
  auto list = exercises_of(result);
  EXPECT_DOUBLE_EQ(at(list, "peak/A").answer, 192);
  EXPECT_TRUE(has(at(list, "peak/A").question, "4 cores, each of which starts 16 operations in fp64 a cycle"));
  EXPECT_NEAR(at(list, "peak/A/measured").answer, 100 * 190.0 / 192, 1e-9);
  for (const Exercise& one : list) EXPECT_FALSE(has(one.question, "192 GFLOP/s")) << one.id << " tells an answer";
  auto devices = device_at(result, Scope::node);
  devices.front().processor = false;
  list = exercises(result, devices, {});
  EXPECT_TRUE(has(at(list, "peak/A").question, "4 multiprocessors")) << "a GPU has no cores";
  result.ceilings.front().value = test::made_up(1e11);
  EXPECT_EQ(find(exercises_of(result), "peak/"), nullptr) << "the machine does not bear it out";
}

/// 8 GB over 4 GB are a factor of 2 by the roofs. What ran in another implementation, as a graph, or in another number
/// of runs at once differs by more than fusion.
TEST(Exercises, FusionComparesRunsThatDifferInNothingElse) {
  OperatorSpec apart;
  apart.name = "add_apart";
  apart.fused = "add_together";
  const std::vector<const OperatorSpec*> operators{&apart};
  Result result = a100();
  add_point(result, "add_apart", 1e9, 8e9, 2.1);
  add_point(result, "add_together", 1e9, 4e9, 1.0);
  const auto asked = [&] {
    set_verdicts(result);
    return exercises_of(result, operators);
  };
  Point& together = result.points.back();
  const Point alike = together;
  const auto list = asked();
  EXPECT_DOUBLE_EQ(at(list, "fusion/A").answer, 2);
  EXPECT_DOUBLE_EQ(at(list, "fusion/A/measured").answer, 2.1);
  EXPECT_TRUE(has(at(list, "fusion/A").question, "Either way it does 1 GFLOP"));
  together.stages.front().work.front().operations = 0.5e9;
  EXPECT_EQ(find(asked(), "fusion/A"), nullptr) << "it leaves work out, which teaches nothing of bytes";
  together = alike;
  together.implementation = "another";
  EXPECT_EQ(find(asked(), "fusion/A"), nullptr);
  together = alike;
  together.graph = true;
  EXPECT_EQ(find(asked(), "fusion/A"), nullptr);
  together = alike;
  together.launches = 16;
  EXPECT_EQ(find(asked(), "fusion/A"), nullptr);
  together = alike;
  together.time = test::made_up(2.0);
  ASSERT_NE(find(asked(), "fusion/A/why"), nullptr) << "1.05 and not 2";
  EXPECT_NEAR(at(asked(), "fusion/A/why").answer, 8 / 2.1, 1e-9) << "8 GB in 2.1 s";
}

/// A processor of 20 GB/s and 100 GFLOP/s, and a device of 1 TB/s and 10 TFLOP/s, 10 us a launch, behind 25 GB/s.
TEST(Exercises, CrossingsCountLaunchAndLink) {
  Result result = made_up_result("Host");
  add_peak(result, DType::fp32, 1e11);
  add_memory(result, 2e10);
  Result other = made_up_result("Device", "HBM");
  add_peak(other, DType::fp32, 1e13);
  add_memory(other, 1e12);
  Ceiling& launch = add_row(other, CeilingKind::overhead, std::string(awaited_launch), "s", 1e-5);
  launch.threads = 4;
  auto devices = device_at(result, Scope::node);
  devices.push_back(device_at(other, Scope::node).front());
  devices.back().letter = "B";
  devices.back().processor = false;
  devices.back().link_byte_per_s = 2.5e10;
  devices.back().link_name = "made up";
  auto list = exercises(result, devices, {});
  // 1e-5 s / (1/2e10 - 1/1e12 s/byte) = 1e-5 / 4.9e-11 = 204082 byte
  EXPECT_NEAR(at(list, "crossing/A/B/stream").answer, 0.204082, 1e-6);
  const double n = at(list, "crossing/A/B/product").answer;
  EXPECT_NEAR(2 * n * n * n / 1e11, 1e-5 + 12 * n * n / 2.5e10 + 2 * n * n * n / 1e13, 1e-12) << "both take as long";
  devices.back().link_byte_per_s = {};
  list = exercises(result, devices, {});
  EXPECT_EQ(find(list, "crossing/A/B/product"), nullptr) << "no link is known";
  devices.pop_back();
  EXPECT_EQ(find(exercises(result, devices, {}), "crossing/"), nullptr) << "there is nothing to cross";
}

/// 8 billion weights of 2 bytes at 1 TB/s: 16 ms a token. 16 GFLOP a token at 100 TFLOP/s: 0.16 ms.
TEST(Exercises, ServingIsBoundByWeightsThenByArithmetic) {
  Result host = made_up_result("Host");
  add_peak(host, DType::fp32, 1e12);
  add_memory(host, 1e11);
  Result other = made_up_result("Device", "HBM");
  add_peak(other, DType::bf16, 1e13);
  Ceiling& matrix = add_peak(other, DType::bf16, 1e14);
  matrix.name = "matrix";
  add_memory(other, 1e12);
  auto devices = device_at(host, Scope::node);
  devices.push_back(device_at(other, Scope::node).front());
  devices.back().letter = "B";
  devices.back().processor = false;
  const auto list = exercises(Result{}, devices, {}, Topic::gpu);
  EXPECT_DOUBLE_EQ(at(list, "decode/B").answer, 62.5);
  EXPECT_DOUBLE_EQ(at(list, "decode/A").answer, 6.25);
  EXPECT_DOUBLE_EQ(at(list, "prefill/B").answer, 6250) << "2048 tokens take 327.68 ms, the weights 16 ms";
  EXPECT_DOUBLE_EQ(at(list, "batch/B").answer, 100) << "the ridge: 2 b flop for 2 bytes";
  // 67 texts: 10.72 ms of arithmetic beside 16 ms of weights, then 8 ms
  EXPECT_DOUBLE_EQ(at(list, "precision/B").answer, 16 / 10.72);
  // 10 us stated for a launch: 2.56 ms of 18.56
  EXPECT_NEAR(at(list, "launches/B").answer, 100 * 2.56 / 18.56, 1e-9);
  EXPECT_NEAR(at(list, "chain/B").answer, (30 + 14) / (10 + 6.0), 1e-9) << "us: launches, and MB at 1 TB/s";
  EXPECT_DOUBLE_EQ(at(list, "matrix/B").answer, 5) << "50 flop/byte: 50 TFLOP/s of memory over 10 of the vectors";
  EXPECT_EQ(find(exercises(Result{}, devices, {}, Topic::machine), "decode/B"), nullptr);
  add_memory(other, 2e14);  // the ridge is 0.5 flop/byte: no product lies left of it
  devices.back().machine = machine_of(other, devices.back().id, Scope::node);
  EXPECT_EQ(find(exercises(Result{}, devices, {}), "matrix/B"), nullptr);
}

/// PCI-SIG: 15.75, 31.5 and 63.0 GB/s of sixteen lanes.
TEST(Exercises, LinksOfTheStandards) {
  EXPECT_NEAR(*pcie_byte_per_s(3), 15.75e9, 0.01e9);
  EXPECT_NEAR(*pcie_byte_per_s(4), 31.5e9, 0.01e9);
  EXPECT_NEAR(*pcie_byte_per_s(5), 63.0e9, 0.02e9);
  EXPECT_FALSE(pcie_byte_per_s(2));
  EXPECT_FALSE(pcie_byte_per_s(6));
}

TEST(Exercises, TolerancesAreFactors) { EXPECT_EQ(tolerance_text(0.05), "within a factor of 1.05"); }

TEST(Exercises, EveryOneHasAnIdOfItsOwn) {
  Result result = a100();
  add_point(result, "relu", 1e11, 1e12, 1.0);
  set_verdicts(result);
  auto list = exercises_of(result);
  std::ranges::sort(list, {}, &Exercise::id);
  EXPECT_EQ(std::ranges::adjacent_find(list, {}, &Exercise::id), list.end());
}

}  // namespace
}  // namespace gable::questions
