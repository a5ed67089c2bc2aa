// Exercises with the model's known answers.
#include "core/analysis/exercise.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/operator.hpp"
#include "core/result/roofs.hpp"
#include "tests/unit/analysis/made_up.hpp"

namespace gable::analysis {
namespace {

using test::add_memory;
using test::add_peak;
using test::add_point;
using test::made_up_result;

const Exercise* find(const std::vector<Exercise>& list, const std::string& begin) {
  const auto found = std::ranges::find_if(list, [&](const Exercise& one) { return one.id.starts_with(begin); });
  return found == list.end() ? nullptr : &*found;
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
  const auto list = exercises(a100(), {});
  ASSERT_NE(find(list, "ridge/A/fp32"), nullptr);
  EXPECT_DOUBLE_EQ(find(list, "ridge/A/fp32")->answer, 9.75);
  EXPECT_DOUBLE_EQ(find(list, "ridge/A/fp64")->answer, 4.85);
  EXPECT_EQ(find(list, "ridge/A/fp32")->unit, "flop/byte");
}

/// At 0.1 flop/byte memory decides: 0.2 TFLOP/s, and twice the memory is twice as fast. At 100 flop/byte it is 19.5
/// TFLOP/s, and faster memory gains nothing.
TEST(Exercises, LandingsFollowTheRoofline) {
  Result result = a100();
  add_point(result, "relu", 1e11, 1e12, 1.0);
  set_verdicts(result);
  auto list = exercises(result, {});
  ASSERT_NE(find(list, "landing/"), nullptr);
  EXPECT_DOUBLE_EQ(find(list, "landing/")->answer, 200) << "GFLOP/s";
  EXPECT_DOUBLE_EQ(find(list, "double/")->answer, 2);

  Result dense = a100();
  add_point(dense, "gemm", 1e14, 1e12, 6.0);
  set_verdicts(dense);
  list = exercises(dense, {});
  ASSERT_NE(find(list, "landing/"), nullptr);
  EXPECT_DOUBLE_EQ(find(list, "landing/")->answer, 19500);
  EXPECT_DOUBLE_EQ(find(list, "double/")->answer, 1);
}

TEST(Exercises, WithoutFiguresThereAreNone) {
  EXPECT_TRUE(exercises(Result{}, {}).empty());
  EXPECT_TRUE(exercises(made_up_result("nothing measured"), {}).empty());
}

TEST(Exercises, EveryOneHasAnIdOfItsOwn) {
  Result result = a100();
  add_point(result, "relu", 1e11, 1e12, 1.0);
  set_verdicts(result);
  auto list = exercises(result, {});
  std::ranges::sort(list, {}, &Exercise::id);
  EXPECT_EQ(std::ranges::adjacent_find(list, {}, &Exercise::id), list.end());
}

TEST(Exercises, GradesCountFactorsAlikeInBothDirections) {
  const Exercise exercise{"x", "", "", 100, 0.1, ""};
  EXPECT_EQ(grade(exercise, 109.9), Grade::right);
  EXPECT_EQ(grade(exercise, 100 / 1.099), Grade::right);
  EXPECT_EQ(grade(exercise, 110.5), Grade::near);
  EXPECT_EQ(grade(exercise, 133), Grade::near);
  EXPECT_EQ(grade(exercise, 134), Grade::wrong);
  EXPECT_EQ(grade(exercise, 100 / 1.34), Grade::wrong);
  EXPECT_EQ(grade(exercise, -100), Grade::wrong);
  EXPECT_EQ(grade(exercise, 0), Grade::wrong);
  EXPECT_EQ(grade(exercise, {}), Grade::missing);
}

}  // namespace
}  // namespace gable::analysis
