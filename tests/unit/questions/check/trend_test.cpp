#include "core/questions/check/trend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

/// One run of a machine on a day: its peak `speed` times 1e12 flop/s, its memory always 1e11 byte/s, each ±1 %.
NamedResult run_of(int day, double speed, const std::string& kernel = "6.1") {
  Result result = test::made_up_result();
  result.run.started_at = "2026-01-0" + std::to_string(day) + "T00:00:00Z";
  result.run.kernel = kernel;
  test::add_peak(result, DType::fp32, 1e12 * speed);
  test::add_memory(result, 1e11);
  test::add_point(result, "relu", 1e8, 1e9, 10e-3 / speed);
  return {"day" + std::to_string(day) + ".json", result, ""};
}

const TrendRow& row(const Trend& trend, const char* part) {
  return *std::ranges::find_if(trend.rows,
                               [&](const TrendRow& one) { return one.name.find(part) != std::string::npos; });
}

/// 1, 1.02, 0.9, 0.9 and 1: with 5 % around [0.99, 1.0302] the band ends at 0.9405, and 0.909 is the upper end of 0.9.
TEST(Trend, ARowThatGetsSlowerLeavesItsBandAndComesBack) {
  const std::vector<NamedResult> sources{run_of(5, 1), run_of(1, 1), run_of(2, 1.02), run_of(3, 0.9), run_of(4, 0.9)};
  const Trend trend = trend_of(sources, TrendStep::date);
  ASSERT_EQ(trend.steps.size(), 5U);
  EXPECT_EQ(trend.steps[2].label, "2026-01-03T00:00:00Z") << "by date, whatever the order of the files";
  const TrendRow& peak = row(trend, "/vector/");
  ASSERT_EQ(peak.departures.size(), 2U);
  EXPECT_EQ(peak.departures[0].step, 2U);
  EXPECT_NEAR(peak.departures[0].low, 0.99e12 * 0.95, 1e6);
  EXPECT_NEAR(peak.departures[0].high, 1.0302e12 * 1.05, 1e6);
  EXPECT_NEAR(peak.departures[0].speed, 0.9 / 1.01, 1e-9) << "beside the median of 1 and 1.02";
  EXPECT_FALSE(peak.is_out());
  EXPECT_TRUE(row(trend, "/bandwidth/").departures.empty());
  EXPECT_LT(row(trend, "/relu/").departures.at(0).speed, 1) << "a longer time is slower";
  EXPECT_FALSE(trend.slower());
  EXPECT_TRUE(trend_of(std::span(sources).subspan(1), TrendStep::date).slower());
}

TEST(Trend, WithinTheToleranceNothingLeaves) {
  const std::vector<NamedResult> sources{run_of(1, 1), run_of(2, 0.9)};
  EXPECT_TRUE(trend_of(sources, TrendStep::date).slower());
  EXPECT_FALSE(trend_of(sources, TrendStep::date, 0.1).slower());
}

TEST(Trend, RunsOfOneDriverAreOneStepAndTheChangeIsNamed) {
  const std::vector<NamedResult> sources{run_of(1, 1, "6.1"), run_of(3, 1.01, "6.1"), run_of(2, 0.8, "6.8"),
                                         run_of(4, 0.81, "6.8")};
  const Trend trend = trend_of(sources, TrendStep::driver);
  ASSERT_EQ(trend.steps.size(), 2U);
  EXPECT_EQ(trend.steps[0].label, "6.1");
  EXPECT_EQ(trend.steps[0].files, (std::vector<std::string>{"day1.json", "day3.json"}));
  EXPECT_TRUE(std::ranges::any_of(trend.steps[1].changed, [](const std::string& text) {
    return text.find("6.1 -> ") != std::string::npos && text.find("6.8") != std::string::npos;
  })) << trend.steps[1].changed.size();
  EXPECT_TRUE(trend.slower());
  EXPECT_THROW(trend_of(std::span(sources).first(2), TrendStep::driver), Error) << "one step";
}

TEST(Trend, AnotherMachineIsRefused) {
  std::vector<NamedResult> sources{run_of(1, 1), run_of(2, 1)};
  sources[1].result.devices[0].name = "Another CPU";
  EXPECT_THROW(trend_of(sources, TrendStep::date), Error);
}

TEST(Trend, ARunWithoutADateIsRefused) {
  std::vector<NamedResult> sources{run_of(1, 1), run_of(2, 1)};
  for (const char* date : {"</script>", "", "2026-1-05T00:00:00Z", "2026", "2026-13-01", "2026-01-02</script>"}) {
    sources[1].result.run.started_at = date;
    EXPECT_THROW(trend_of(sources, TrendStep::date), Error) << date;
  }
  sources[1].result.run.started_at = "2026-01-02";  // as of a result without names
  EXPECT_EQ(trend_of(sources, TrendStep::date).steps.size(), 2U);
}

TEST(Trend, TheAnswerHasEverySeries) {
  const std::vector<NamedResult> sources{run_of(1, 1), run_of(2, 0.5)};
  const Answer answer = answer_of(trend_of(sources, TrendStep::date), TrendStep::date, default_trend_tolerance);
  const auto series = std::ranges::find(answer.sections, "series", &Answer::Section::key);
  ASSERT_NE(series, answer.sections.end());
  EXPECT_EQ(series->table.rows.size(), 6U);
}

}  // namespace
}  // namespace gable::questions
