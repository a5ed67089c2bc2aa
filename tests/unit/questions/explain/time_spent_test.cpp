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
  for (int i = 0; i < 2; ++i) test::add_point(result, "triad", 1e8, 1e9, 0.1);  // two sizes of one operator
  TimeSpent spent;
  EXPECT_EQ(spent.words(), "");
  for (const Point& point : result.points) spent.add(explained(result, point));
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
    Explanation one = explained(result, point);
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

TimeSpent spent_of(const Result& result, const std::vector<std::vector<Lever>>& levers) {
  TimeSpent spent;
  for (std::size_t i = 0; i < levers.size(); ++i) {
    Explanation one = explained(result, result.points[i]);
    one.levers = levers[i];
    spent.add(one);
  }
  return spent;
}

Lever made_up_lever(const std::string& name, double factor, bool narrower = false) {
  return {.name = name, .change = "", .factor = factor, .assumption = "", .narrower = narrower};
}

/// Of two points of 20 ms one lever halves each, and a third makes both 1.6 times as fast: 15 of 40 ms, not 10.
TEST(TimeSpent, ALeverThatIsSecondEverywhereMayBeTheBest) {
  Result result = machine();
  for (const char* name : {"a", "b"}) test::add_point(result, name, 1e8, 1e9, 20e-3).implementation = "user";
  const std::vector<Lever> common{made_up_lever("both", 1.6), made_up_lever("both", 1.25)};
  std::vector<std::vector<Lever>> levers{{made_up_lever("first", 2)}, {made_up_lever("second", 2)}};
  for (auto& list : levers) list.insert(list.end(), common.begin(), common.end());
  const std::string words = spent_of(result, levers).words();
  EXPECT_NE(words.find("best lever: both, at most 38 % less time (a fp32, 1.6x)."), std::string::npos) << words;
}

/// As of one point: whoever computes in fp64 usually needs it.
TEST(TimeSpent, GivingUpFp64IsNoFirstAdvice) {
  Result result = machine();
  test::add_peak(result, DType::fp64, 0.5e12);
  auto& point = test::add_point(result, "a", 1e8, 1e9, 20e-3);
  point.implementation = "user";
  point.types = uniform_types(DType::fp64);
  const Lever narrower = made_up_lever("lower precision", 2, true);
  const std::string words = spent_of(result, {{made_up_lever("closer to the roof", 1.25), narrower}}).words();
  EXPECT_NE(words.find("best lever: closer to the roof, at most 20 %"), std::string::npos) << words;
  EXPECT_NE(spent_of(result, {{narrower}}).words().find("lower precision, at most 50 %"), std::string::npos);
}

/// A time that no machine can have says nothing of this one.
TEST(TimeSpent, LeavesInvalidPointsOut) {
  Result result = machine();
  test::add_point(result, "relu", 1e8, 1e9, 1e-3);
  Explanation one{.point = result.points.front(), .invalid = true};
  TimeSpent spent;
  spent.add(one);
  EXPECT_EQ(spent.words(), "");
}

}  // namespace
}  // namespace gable::questions
