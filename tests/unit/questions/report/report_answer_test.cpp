#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/model/point.hpp"
#include "core/questions/report/plot_json.hpp"
#include "core/questions/report/report.hpp"
#include "core/text/text_table.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/report/sample.hpp"

namespace gable {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

bool some_line_has(const std::string& text, std::initializer_list<const char*> parts) {
  for (const std::string& line : lines(text)) {
    bool all = true;
    for (const char* part : parts) all = all && line.find(part) != std::string::npos;
    if (all) return true;
  }
  return false;
}

TEST(Text, NoLineIsWiderThanAsked) {
  Result result = test::sample_result(test::Devices::both, 12);
  result.points[0].status = Status::error;
  result.points[0].reason = std::string(300, 'x') + " and a long tail of words that goes on and on for many columns";
  for (const int width : {60, 80, 120, 200}) {
    for (const std::string& line : lines(report::text(result, width))) EXPECT_LE(text_width(line), width) << line;
  }
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(Table, NothingIsCutHoweverNarrowItIs) {
  TextTable table({{"what", false, true}, {"rate", true}, {"what else there is to say", false, true}});
  const std::vector<std::vector<std::string>> rows{
      {"vector fp64, isa:avx2", "118 GFLOP/s ±1.4 %", "beyond these runs, and of another operating point"},
      {"elementwise_chain_unfused", "33.5 TFLOP/s [datasheet]", std::string(90, 'x')}};
  for (const auto& row : rows) table.add(row);
  for (const int width : {10, 24, 50, 80, 300}) {
    const std::string text = table.render(width);
    for (const std::string& line : lines(text)) EXPECT_LE(text_width(line), width) << text;
    if (width == 10 || width == 300) {  // a row of a table has cells beside each other, broken apart
      for (const auto& row : rows)
        for (const std::string& cell : row)
          EXPECT_NE(without_blanks(text).find(without_blanks(cell)), std::string::npos) << text;
    }
    EXPECT_EQ(text.find("…"), std::string::npos) << text;
  }
}

TEST(Table, ANumberKeepsItsUnitAndRowsThatDoNotFitAreBlocks) {
  TextTable table({{"what", false, true}, {"rate of one", true}});
  table.add({"vector fp64", "118 GFLOP/s ±1.4 %"});
  EXPECT_EQ(table.render(40),
            "what                rate of one\n-----------  ------------------\n"
            "vector fp64  118 GFLOP/s ±1.4 %\n");
  EXPECT_EQ(table.render(20),
            "what     rate of one\n------  ------------\nvector   118 GFLOP/s\nfp64          ±1.4 %\n");
  EXPECT_EQ(table.render(16), "vector fp64\n  rate of one\n  118 GFLOP/s\n  ±1.4 %\n");
}

TEST(Text, DisturbedRowsAreMarked) {
  Result result = test::sample_result(test::Devices::cpu, 1);
  EXPECT_EQ(report::text(result, 160).find('*'), std::string::npos);
  result.ceilings[0].value.seen.disturbed_blocks = 3;
  EXPECT_EQ(report::text(result, 160).find('*'), std::string::npos) << "the other blocks are enough";
  result.ceilings[0].value.seen.disturbed_blocks = 5;
  EXPECT_TRUE(some_line_has(report::text(result, 160), {"%*"})) << report::text(result, 160);
  EXPECT_TRUE(some_line_has(report::text(result, 160), {"* more than half of its blocks"}));
}

TEST(Text, CeilingsShowWhatTheyAre) {
  const std::string text = report::text(test::sample_result(test::Devices::cpu, 0), 160);
  EXPECT_TRUE(some_line_has(text, {"Synthetic CPU", "node", "16 threads"}));
  EXPECT_TRUE(some_line_has(
      text, {"vector", "fp64", "600 GFLOP/s ±1.0 %", "540 GFLOP/s", "480 GFLOP/s", "3.1 GHz", "80.0 %", "98.0 %"}));
  EXPECT_TRUE(some_line_has(text, {"DRAM", "triad", "80 GB/s", "107 GB/s", "105 GB/s"}));
}

TEST(Text, LatencyAndOverheadHaveTheirTable) {
  Result result;
  Ceiling row{.kind = CeilingKind::overhead, .name = "kokkos_launch", .unit = "s"};
  row.value.value = 2.5e-6;
  result.ceilings = {row};
  EXPECT_TRUE(some_line_has(report::text(result), {"overhead", "kokkos_launch", "2.5 us"}));
}

TEST(Text, PointsShowTheirPlaceUnderTheRoof) {
  const Result result = test::sample_result(test::Devices::cpu, 1);
  const std::string text = report::text(result, 200);
  EXPECT_TRUE(some_line_has(text, {"relu", "fp32", "m=1024,n=4096", "DRAM triad (ordinary)", "35.0 %"})) << text;
}

/// A bound of 35 % of its time at first.
TEST(Text, AShareAboveTheWholeIsNeverAPlainFigure) {
  Result result = test::sample_result(test::Devices::cpu, 1);
  Point& point = result.points[0];
  point.fraction_of_limit = 1.25;
  EXPECT_TRUE(some_line_has(report::text(result, 200), {"relu", "100 % (at its roof)"}));
  point.status = Status::suspect;
  point.reason = "the roof was measured too low";
  const std::string text = report::text(result, 200);
  EXPECT_TRUE(some_line_has(text, {"relu", "fp32", "suspect"})) << text;
  EXPECT_TRUE(some_line_has(text, {"point/relu/0: the roof was measured too low"})) << text;
  EXPECT_EQ(text.find("125"), std::string::npos) << text;
  EXPECT_EQ(text.find("left out of the tables"), std::string::npos) << text;
}

TEST(Text, WithoutCeilingsOneLineSaysHowToGetVerdicts) {
  Result result = test::sample_result(test::Devices::cpu, 3);
  result.ceilings.clear();
  for (Point& point : result.points) {
    point.regime.reset();
    point.bound_s.reset();
    point.fraction_of_limit.reset();
    point.limit.clear();
    point.reason = "no verdict: no roof for vector fp32, DRAM bandwidth";
  }
  const std::string text = report::text(result, 400);
  EXPECT_EQ(text.find("no verdict"), std::string::npos) << text;
  EXPECT_TRUE(some_line_has(text, {"without ceilings of openmp (node)", "--roofs", "gable report"})) << text;
}

TEST(Text, ColdPointsStandBesideHotOnes) {
  Result result = test::sample_result(test::Devices::cpu, 2);
  EXPECT_EQ(report::text(result, 200).find("cold"), std::string::npos);
  result.points[1].cold = true;
  EXPECT_TRUE(
      some_line_has(report::text(result, 200), {result.points[1].op.c_str(), result.points[1].params.c_str(), "cold"}));
}

TEST(Text, OtherOutcomesAreGroupedByReason) {
  Result result = test::sample_result(test::Devices::cpu, 6);
  for (const std::size_t i : {1u, 3u}) {
    result.points[i].status = Status::unsupported;
    result.points[i].reason = "no such unit";
    result.points[i].id = "row" + std::to_string(i);
  }
  const std::string text = report::text(result);
  EXPECT_TRUE(some_line_has(text, {"unsupported (2 rows): no such unit"}));
  EXPECT_TRUE(some_line_has(text, {"row1, row3"}));
}

/// A page's sentence adds up what the page shows: neither other scopes nor other types.
TEST(PlotJson, TheConclusionIsOfTheScopeAndTypesShown) {
  Result result = test::sample_result(test::Devices::cpu, 1);
  const auto conclusion = [&](const render::PlotOptions& options) {
    set_verdicts(result);
    return report::plot_json(result, options, {}).at("devices").at(0).at("conclusion").get<std::string>();
  };
  result.points[0].types = uniform_types(DType::fp32);
  render::PlotOptions node;
  node.scope = Scope::node;
  const std::string alone = conclusion(node);
  EXPECT_NE(alone.find("of 1 operator is"), std::string::npos) << alone;
  result.points.push_back(result.points[0]);
  result.points.back().op = "another";
  result.points.back().types = uniform_types(DType::fp64);
  EXPECT_NE(conclusion(node), alone);
  node.dtypes = {DType::fp32};
  EXPECT_EQ(conclusion(node), alone);
  node.dtypes.clear();
  const std::vector<Ceiling> roofs = result.ceilings;
  result.points.back().scope = Scope::core;
  for (Ceiling row : roofs) {
    row.scope = Scope::core;
    result.ceilings.push_back(row);
  }
  EXPECT_EQ(conclusion(node), alone);
  EXPECT_EQ(conclusion({}), alone) << "the widest scope";
}

/// An operator of another version of Gable is not the user's own.
TEST(PlotJson, OwnIsWhatDidNotRunHere) {
  Result result = test::sample_result(test::Devices::cpu, 2);
  result.points[1].implementation = "user";
  const auto points = report::plot_json(result, {}, {}).at("points");
  EXPECT_FALSE(points.at(0).contains("own"));
  EXPECT_TRUE(points.at(1).at("own").get<bool>());
}

TEST(Text, EmptyResultSaysSo) { EXPECT_EQ(report::text({}), "The result holds no rows.\n"); }

TEST(TextTable, ShortensByCodePoints) {
  EXPECT_EQ(shorten("±±±±", 4), "±±±±");
  EXPECT_EQ(shorten("±±±±±", 4), "±±±…");
}

}  // namespace
}  // namespace gable
