// Verdicts of points by the ceilings of a result.
#include "core/verdict/roofs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "core/operator.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/subject.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable {
namespace {

/// What a full calibration on a noisy Emerald Rapids gave (two cores, 260 MB of L3): exp fp32 is suspect.
Result noisy() {
  Result result = test::made_up_result();
  DeviceInfo& device = result.devices.front();
  device.cores = device.threads = 2;
  device.memory = {{"L1", 49152, 2, 1, 64, ""},
                   {"L2", 2097152, 2, 1, 64, ""},
                   {"L3", 272629760, 1, 2, 64, ""},
                   {"DRAM", 25276510208, 1, 2, 64, ""}};
  test::add_peak(result, DType::fp64, 1.693e11);
  test::add_peak(result, DType::fp32, 3.566e11, OperatingPoint::sustained);
  const auto add_exp = [&](DType dtype, double value) -> Ceiling& {
    Ceiling& row = test::add_peak(result, dtype, value);
    row.name = "exp";
    row.unit = "op/s";
    return row;
  };
  add_exp(DType::fp64, 4.061e9);
  Ceiling& suspect = add_exp(DType::fp32, 1.521e10);
  suspect.value.ci_low = 7.054e9;
  suspect.status = Status::suspect;
  suspect.reason = "interval of ±27 %: disturbed";
  Ceiling& narrow = add_exp(DType::fp32, 9.315e9);
  narrow.value.ci_low = 8.964e9;
  narrow.variant = "isa:avx2";
  const auto add_stream = [&](const char* level, Access access, double value) {
    Ceiling& row = test::add_row(result, CeilingKind::bandwidth, level, "byte/s", value);
    row.access = access;
    row.stores = access == Access::read ? Stores::none : Stores::ordinary;
  };
  const std::vector<std::tuple<const char*, double, double, double>> levels{{"L1", 5.0e11, 5.63e11, 7.3e11},
                                                                            {"L2", 2.41e11, 1.536e11, 1.941e11},
                                                                            {"L3", 5.752e10, 5.474e10, 5.358e10},
                                                                            {"DRAM", 2.884e10, 2.416e10, 2.592e10}};
  for (const auto& [level, read, copy, triad] : levels) {
    add_stream(level, Access::read, read);
    add_stream(level, Access::copy, copy);
    add_stream(level, Access::triad, triad);
  }
  for (Ceiling& row : result.ceilings) row.threads = 2;
  return result;
}

void add_operator(Result& result, const std::string& op, const std::string& params, double time_s) {
  Point& point = test::add_point(result, op, 0, 1, time_s);
  point.params = params;
  point.cold = false;
  point.threads = 2;
  point.stages = find_spec(op).work(Params::parse(params), point.types);
}

/// The thirteen operators with exponentials had no verdict for want of that one roof. It reaches 8.96e9 a second, as
/// the AVX2 row shows; at half of that gelu's 1.73e8 take 39 ms, its 1.38 GB from main memory 57 ms.
TEST(SetVerdicts, OneSuspectRowLeavesTheOthersToDecide) {
  Result result = noisy();
  const std::vector<std::tuple<std::string, std::string, double>> decided{
      {"gelu", "n=173076480", 0.155},
      {"silu", "n=173076480", 0.144},
      {"swiglu", "m=28170,n=4096", 0.132},
      {"bias_gelu", "m=42255,n=4096", 0.148},
      {"softmax", "m=42255,n=4096", 0.162},
      {"gemm_bias_gelu", "m=2048,n=2048,k=2048", 0.12},
      {"mlp_fused", "m=512,d=1024,h=4096", 0.0754},
      {"mlp_unfused", "m=512,d=1024,h=4096", 0.0939},
      {"attention_naive", "h=4,kv=1,l=1024,d=128,mask=causal", 0.0254},
      {"attention_fused", "h=4,kv=1,l=1024,d=128,mask=causal", 0.00821},
      {"attention_decode", "b=1,h=32,kv=8,s=169020,d=128", 0.226}};
  for (const auto& [op, params, time_s] : decided) add_operator(result, op, params, time_s);
  set_verdicts(result);
  for (const Point& point : result.points) {
    EXPECT_TRUE(point.regime) << point.op << ": " << point.reason;
    EXPECT_NE(point.reason.find("no roof for exp fp32, which cannot decide"), std::string::npos) << point.reason;
  }
  EXPECT_EQ(result.points.front().limit, "DRAM copy (ordinary)");
  EXPECT_NEAR(result.points.front().bound_s.value(), 173076480 * 8 / 2.416e10, 1e-9);
}

/// At half of 8.96e9 a second cross_entropy's 3.46e8 exponentials take 77 ms, its bytes 48 ms.
TEST(SetVerdicts, WhereTheSuspectRowMayDecideItIsSaid) {
  Result result = noisy();
  add_operator(result, "cross_entropy", "n=32000,tokens=10817", 0.288);
  add_operator(result, "black_scholes", "n=69230592", 0.153);
  set_verdicts(result);
  for (const Point& point : result.points) {
    EXPECT_FALSE(point.regime) << point.op;
    EXPECT_FALSE(point.fraction_of_limit) << point.op;
    EXPECT_TRUE(point.bound_s) << point.op;
    EXPECT_EQ(point.reason.find("no verdict: no roof for exp fp32, which may decide; at least "), 0U) << point.reason;
  }
  EXPECT_NEAR(result.points.front().bound_s.value(), 0.048, 0.0005);
}

/// Files that are compared say the same as `gable explain` of one of them.
TEST(SetVerdicts, ComparedFilesKnowWhatASuspectRowReached) {
  Result result = noisy();
  std::erase_if(result.ceilings, [](const Ceiling& row) { return row.variant == "isa:avx2"; });
  add_operator(result, "gelu", "n=173076480", 0.155);
  set_verdicts(result);
  ASSERT_TRUE(result.points.front().regime) << "twice exp fp64, 8.1e9 a second";
  const std::vector<NamedResult> sources{{"r.json", result}};
  const auto subjects = questions::subjects_of(sources);
  const auto machine = machine_of(subjects.front(), Scope::node);
  EXPECT_EQ(machine.roofline.reached().size(), 1U);
  EXPECT_TRUE(verdict_of(subjects.front().points.front(), machine.roofline).stands());
}

TEST(SetVerdicts, APointAboveItsRoofIsComparedByItsTimeAllTheSame) {
  Result result = noisy();
  add_operator(result, "relu", "n=173076480", 0.04);  // 57 ms at best
  set_verdicts(result);
  ASSERT_EQ(result.points.front().status, Status::suspect);
  const std::vector<NamedResult> sources{{"r.json", result}};
  const auto subjects = questions::subjects_of(sources);
  ASSERT_EQ(subjects.front().points.size(), 1U);
  const auto placed = verdict_of(subjects.front().points.front(), machine_of(subjects.front(), Scope::node).roofline);
  EXPECT_EQ(placed.standing, Standing::above_roof);
}

TEST(SetVerdicts, BorrowedCeilingsPlaceThemAndNothingElseUndoesIt) {
  const Result calibration = noisy();
  Result run = noisy();
  run.ceilings.clear();
  add_operator(run, "relu", "n=173076480", 0.08);
  EXPECT_FALSE(has_ceilings(run, "openmp", Scope::node));
  set_verdicts(run);
  EXPECT_FALSE(run.points.front().bound_s);
  set_verdicts(run, calibration.ceilings);
  EXPECT_EQ(run.points.front().regime, Regime::memory_bound);
  EXPECT_TRUE(run.ceilings.empty());
  set_verdicts(run);
  EXPECT_EQ(run.points.front().regime, Regime::memory_bound) << "there is nothing to judge it anew by";
}

}  // namespace
}  // namespace gable
