#include "core/questions/explain/time_spent.hpp"

#include <gtest/gtest.h>

#include "tests/unit/questions/explain/levers.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

/// Four runs of 12.5 ms that the memory bounds, 1.25 s in fp32 and 1 s in fp64 that the arithmetic does, two of 0.1 s
/// below every roof.
TEST(TimeSpent, NamesWhatLimitsMost) {
  Result result = machine();
  test::add_point(result, "relu", 1e8, 1e9, 12.5e-3).count = 4;
  auto& product = test::add_point(result, "mine", 1e12, 1e9, 1.25);
  product.implementation = "user";
  test::add_peak(result, DType::fp64, 0.5e12);
  test::add_point(result, "wider", 0.45e12, 1e9, 1).types = uniform_types(DType::fp64);
  test::add_point(result, "triad", 1e8, 1e9, 0.1).count = 2;
  TimeSpent spent;
  EXPECT_EQ(spent.words(), "");
  for (const Point& point : result.points) spent.add(explained(result, point, operator_specs()));
  const std::string words = spent.words();
  EXPECT_NE(words.find("90 % of the 2.5 s of 4 operators is compute-bound (mostly fp32 vector)"), std::string::npos)
      << words;
}

/// Of two points of 20 ms and 12.5 ms that could be 10 ms the first saves most: 10 of 32.5 ms, with 2.5 of the second
/// 38 %.
TEST(TimeSpent, AddsWhatALeverSaves) {
  Result result = machine();
  test::add_point(result, "a", 1e8, 1e9, 12.5e-3);
  test::add_point(result, "b", 1e8, 1e9, 20e-3);
  TimeSpent spent;
  for (Point& point : result.points) {
    point.implementation = "user";
    Explanation one = explained(result, point, operator_specs());
    one.levers = {
        {.name = "closer to the roof", .change = "", .factor = 1 / *one.point.fraction_of_limit, .assumption = ""}};
    spent.add(one);
  }
  const std::string words = spent.words();
  EXPECT_NE(
      words.find("100 % of the 32.5 ms of 2 operators is memory-bound (DRAM); best lever: closer to the roof, at most "
                 "38 % less time (b fp32, 2x)."),
      std::string::npos)
      << words;
}

/// A time that no machine can have says nothing of this one.
TEST(TimeSpent, LeavesInvalidPointsOut) {
  Result result = machine();
  test::add_point(result, "relu", 1e8, 1e9, 1e-3);
  Explanation one;
  one.point = result.points.front();
  one.invalid = true;
  TimeSpent spent;
  spent.add(one);
  EXPECT_EQ(spent.words(), "");
}

}  // namespace
}  // namespace gable::questions
