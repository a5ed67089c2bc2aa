#include "core/questions/check/validation.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

/// A run of one machine, begun in minute `minute`, with an fp16 peak of so many Gflop/s ±1 %.
NamedResult run(int minute, double peak) {
  NamedResult source{"run" + std::to_string(minute) + ".json", test::made_up_result()};
  source.result.run.started_at = "2026-01-01T00:0" + std::to_string(minute) + ":00Z";
  test::add_peak(source.result, DType::fp16, 1e9 * peak);
  return source;
}

TEST(Disagreements, NameTheSlowerRunAndWhatTheOtherReached) {
  const auto found = disagreements(std::vector{run(1, 391), run(2, 774), run(3, 760)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].file, "run1.json");
  EXPECT_EQ(found[0].where, "ceiling openmp row 0");
  for (const char* words : {"391 G", "774 G", "run2.json"})
    EXPECT_NE(found[0].what.find(words), std::string::npos) << words << ": " << found[0].what;
}

TEST(Disagreements, AreBeyondBothIntervalsAndATenth) {
  EXPECT_TRUE(disagreements(std::vector{run(1, 700), run(2, 774)}).empty()) << "7 % between the intervals";
  auto wide = run(1, 391);
  wide.result.ceilings[0].value = test::made_up(391e9, 0.9);
  EXPECT_TRUE(disagreements(std::vector{wide, run(2, 774)}).empty()) << "the interval holds it";
  auto bare = run(1, 391);
  bare.result.ceilings[0].value = test::made_up(391e9, 0);
  EXPECT_TRUE(disagreements(std::vector{bare, run(2, 774)}).empty()) << "nothing is claimed";
  auto suspect = run(1, 391);
  suspect.result.ceilings[0].status = Status::suspect;
  EXPECT_TRUE(disagreements(std::vector{suspect, run(2, 774)}).empty()) << "the row says so itself";
}

TEST(Disagreements, OfOtherScopesSizesAndBuildsAreNone) {
  const auto with = [](auto change) {
    auto slow = run(1, 391), fast = run(2, 774);
    change(slow.result);
    return disagreements(std::vector{slow, fast}).size();
  };
  EXPECT_EQ(with([](Result&) {}), 1U);
  EXPECT_EQ(with([](Result& result) { result.ceilings[0].scope = Scope::core; }), 0U);
  EXPECT_EQ(with([](Result& result) { result.ceilings[0].working_set_bytes = 1e6; }), 0U);
  EXPECT_EQ(with([](Result& result) { result.run.mode = Mode::quick; }), 1U) << "the unit is the machine's";
  EXPECT_EQ(with([](Result& result) {
              result.ceilings[0].at = OperatingPoint::library;
              result.run.mode = Mode::quick;
            }),
            0U);
}

/// A second name of a run neither contradicts it nor keeps others from being compared.
TEST(Disagreements, CopiesAreOneRun) {
  auto copy = run(2, 774);
  copy.name = "copy.json";
  const auto found = disagreements(std::vector{run(2, 774), copy, run(1, 391)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].file, "run1.json");
}

TEST(Disagreements, OfOtherMachinesAreNone) {
  auto other = run(1, 391);
  other.result.run.hostname = "there";
  EXPECT_TRUE(disagreements(std::vector{other, run(2, 774)}).empty());
}

/// Times: the longer one is the slower run.
TEST(Disagreements, OfPointsNameTheLonger) {
  auto slow = run(1, 774), fast = run(2, 774);
  test::add_point(slow.result, "relu", 1e6, 1e9, 0.2);
  test::add_point(fast.result, "relu", 1e6, 1e9, 0.1);
  const auto found = disagreements(std::vector{slow, fast});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].file, "run1.json");
}

}  // namespace
}  // namespace gable::questions
