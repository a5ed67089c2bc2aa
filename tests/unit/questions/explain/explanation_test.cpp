#include "core/questions/explain/explanation.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/explain/levers.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

/// 1e9 byte at 100 GB/s are 10 ms; 12.5 ms is 80 % of the bound.
TEST(Explanation, OfAMemoryBoundPoint) {
  Result result = machine();
  test::add_point(result, "relu", 1e8, 1e9, 12.5e-3);
  const auto answer = explained(result, result.points.front());
  EXPECT_EQ(answer.point.regime, Regime::memory_bound);
  EXPECT_NEAR(*answer.point.bound_s, 10e-3, 1e-12);
  EXPECT_NEAR(*answer.point.fraction_of_limit, 0.8, 1e-9);
  EXPECT_NEAR(answer.point.fraction_low.value(), 0.8 / 1.01, 1e-9);
  EXPECT_NEAR(answer.point.fraction_high.value(), 0.8 / 0.99, 1e-9);
  EXPECT_NEAR(answer.limit_value.value(), 100e9, 1);
  EXPECT_EQ(answer.limit_value_unit, "byte/s");
  ASSERT_TRUE(answer.ridge);
  EXPECT_EQ(answer.ridge->level, "DRAM");
  EXPECT_NEAR(answer.ridge->flop_per_byte, 0.1, 1e-12);
  EXPECT_NEAR(answer.ridge->ridge_flop_per_byte, 10, 1e-9);
  EXPECT_TRUE(answer.causes.empty());
  EXPECT_NEAR(factor(answer, "better access pattern", "unit stride"), 1.25, 1e-9);
  EXPECT_FALSE(answer.datasheet) << "no theory is known of this device";
}

/// 1e12 flop at 1 Tflop/s are 1 s; the bytes take 10 ms.
TEST(Explanation, OfAComputeBoundPoint) {
  Result result = machine();
  auto& point = test::add_point(result, "mine", 1e12, 1e9, 1.25);
  point.implementation = "user";
  const auto answer = explained(result, point);
  EXPECT_EQ(answer.point.regime, Regime::compute_bound);
  EXPECT_NEAR(answer.ridge->flop_per_byte, 1000, 1e-9);
  EXPECT_NEAR(answer.limit_value.value(), 1e12, 1);
  EXPECT_EQ(answer.limit_value_unit, "flop/s");
  EXPECT_NEAR(factor(answer, "closer to the roof"), 1.25, 1e-9);
  EXPECT_EQ(find(answer, "cache blocking"), nullptr) << "bytes do not bind";
  EXPECT_EQ(find(answer, "better access pattern"), nullptr);
  EXPECT_EQ(factor(answer, "lower precision"), 0) << "no roof of a narrower type was measured";
}

/// The roofs explain a tenth: neither memory- nor compute-bound, though the intensity is far under the ridge.
TEST(Explanation, BelowEveryRoofIsADiagnosisOfItsOwn) {
  Result result = machine();
  auto& point = test::add_point(result, "relu", 1e8, 1e9, 100e-3);
  point.time.seen.disturbed_blocks = 8;
  const auto answer = explained(result, point);
  EXPECT_EQ(answer.point.regime, Regime::below_roof);
  EXPECT_TRUE(answer.disturbed);
  ASSERT_GE(answer.causes.size(), 3U);
  EXPECT_TRUE(answer.causes.front().seen) << "what the row shows comes first";
  EXPECT_NE(answer.causes.front().text.find("disturbed"), std::string::npos);
  EXPECT_FALSE(answer.causes.back().seen);
}

/// 64 MB beside 32 MB of L3: of a copy's 64 MB the bound counts 32 from main memory, 0.32 ms at 100 GB/s. Like the same
/// copy of ten times the size it takes 0.66 ms: at the speed of main memory, for all its bytes.
TEST(Explanation, SaysWhereTheCachesKeepLessThanTheBoundCountsOn) {
  Result result = machine();
  auto& memory = result.devices.front().memory;
  memory.insert(memory.begin() + 1, {"L3", 32e6, 1, 4, 64, "made up"});
  test::add_row(result, CeilingKind::bandwidth, "L3", "byte/s", 400e9).access = Access::triad;
  auto& point = test::add_point(result, "mine", 1e6, 64e6, 0.66e-3);
  point.cold = false;
  const auto answer = explained(result, point);
  EXPECT_NEAR(*answer.point.bound_s, 0.32e-3, 2e-6);
  EXPECT_EQ(answer.point.regime, Regime::below_roof);
  ASSERT_TRUE(answer.causes.front().seen);
  const std::string& text = answer.causes.front().text;
  EXPECT_NE(text.find("caches keep less"), std::string::npos) << text;
  EXPECT_NE(text.find("97 %"), std::string::npos) << text << ": 0.64 ms of 0.66";
  point.time = test::made_up(0.4e-3);  // 80 % of the bound, sooner than all bytes could come from main memory
  EXPECT_TRUE(explained(result, point).causes.empty());
  point.time = test::made_up(2e-3);  // that is not it: even all bytes from main memory explain a third only
  EXPECT_EQ(explained(result, point).causes.front().text.find("caches keep less"), std::string::npos);
}

TEST(Explanation, WhatHasNoVerdictSaysWhy) {
  Result result = test::made_up_result();
  test::add_memory(result, 1e11);
  test::add_point(result, "mine", 1e9, 1e9, 1);
  EXPECT_NE(error_of([&] { explained(result, result.points.front()); }).find("vector fp32"), std::string::npos);
  result.points.front().status = Status::error;
  EXPECT_THROW(explained(result, result.points.front()), Error);
}

/// (12 ms - 10 ms) x 3 runs.
TEST(LostTime, CountsEveryRun) {
  Point point;
  EXPECT_EQ(lost_s(point), 0);
  point.time.value = 12e-3;
  point.bound_s = 10e-3;
  EXPECT_NEAR(lost_s(point), 2e-3, 1e-12);
  point.count = 3;
  EXPECT_NEAR(lost_s(point), 6e-3, 1e-12);
}

}  // namespace
}  // namespace gable::questions
