// Which nodes and rows a heat map has, and what it says of the others.
#include "core/questions/campaign/heat_map.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/questions/campaign/flag_rule.hpp"

namespace gable::campaign {
namespace {

/// So many nodes with `rows` rows of 100 GB/s; node 7 is 20 % slower in row 1, node 9 5 % faster in row 0. The last
/// node has no figure.
campaign::Fleet made_up_fleet(std::size_t nodes, std::size_t rows) {
  campaign::Fleet fleet;
  for (std::size_t n = 0; n < nodes; ++n) fleet.nodes.push_back({.name = "n" + std::to_string(n)});
  for (std::size_t r = 0; r < rows; ++r) {
    campaign::FleetMetric metric{
        .name = "row " + std::to_string(r), .slot = "cuda:0", .device = "A GPU", .unit = "byte/s"};
    for (std::size_t n = 0; n + 1 < nodes; ++n) {
      metric.nodes.push_back(n);
      metric.figures.push_back({n == 7 && r == 1 ? 8e10 : n == 9 && r == 0 ? 1.05e11 : 1e11, {}, {}});
    }
    metric.spread = campaign::spread_of(metric.figures);
    fleet.metrics.push_back(std::move(metric));
  }
  fleet.findings.push_back({.node = 7, .metric = 1, .verdict = campaign::NodeVerdict::flagged});
  return fleet;
}

TEST(HeatMap, TheLargestLossesStandFirst) {
  const HeatMap map = heat_map(made_up_fleet(20, 3));
  ASSERT_EQ(map.nodes.size(), 19u);
  EXPECT_EQ(map.nodes[0], "n7");
  EXPECT_EQ(map.rows[0], "cuda:0 row 1");
  EXPECT_NEAR(map.cells[0][0].loss.value(), 0.2, 1e-9);
  EXPECT_TRUE(map.cells[0][0].found);
  EXPECT_FALSE(map.cells[0][1].found);
  EXPECT_EQ(map.nodes_without_figures, 1u);
  const auto notes = heat_map_notes(map);
  ASSERT_EQ(notes.size(), 2u);  // all nodes that can be are shown
  EXPECT_NE(notes[1].find("1 node is without a figure"), std::string::npos) << notes[1];
}

TEST(HeatMap, AFleetOfThousandsStaysLegible) {
  const HeatMap map = heat_map(made_up_fleet(10'001, 70));
  EXPECT_EQ(map.nodes.size(), most_heat_nodes);
  EXPECT_EQ(map.rows.size(), most_heat_rows);
  EXPECT_EQ(map.nodes[0], "n7");
  const auto notes = heat_map_notes(map);
  EXPECT_NE(notes[1].find("60 of 10000 nodes"), std::string::npos) << notes[1];
  EXPECT_NE(notes[2].find("60 of 70 rows"), std::string::npos) << notes[2];
}

TEST(HeatMap, ThePageHasEveryFigureWithItsLossAndFinding) {
  campaign::Fleet fleet = made_up_fleet(20, 3);
  fleet.findings[0].cause = "clock 20 % lower";
  fleet.nodes[7].verdict = campaign::NodeVerdict::flagged;
  const nlohmann::json data = heat_map_json(fleet);
  ASSERT_EQ(data["nodes"].size(), 19u);
  EXPECT_EQ(data["nodes"][0]["name"], "n7");
  EXPECT_EQ(data["nodes"][0]["verdict"], "flagged");
  ASSERT_EQ(data["rows"].size(), 3u);
  const auto& row = data["rows"][0];
  EXPECT_EQ(row["name"], "row 1");
  EXPECT_EQ(row["slot"], "cuda:0");
  EXPECT_DOUBLE_EQ(row["median"].get<double>(), 1e11);
  EXPECT_DOUBLE_EQ(row["values"][0].get<double>(), 8e10);
  EXPECT_NEAR(row["losses"][0].get<double>(), 0.2, 1e-9);
  ASSERT_EQ(data["findings"].size(), 1u);
  EXPECT_EQ(data["findings"][0]["node"], 0);
  EXPECT_EQ(data["findings"][0]["row"], 0);
  EXPECT_EQ(data["findings"][0]["cause"], "clock 20 % lower");
}

TEST(HeatMap, ThePageHasTheLargestLossesOfThousands) {
  const nlohmann::json data = heat_map_json(made_up_fleet(10'001, 2));
  EXPECT_EQ(data["nodes"].size(), most_page_nodes);
  EXPECT_EQ(data["rows"][0]["values"].size(), most_page_nodes);
  EXPECT_EQ(data["nodes"][0]["name"], "n7");
  EXPECT_NE(data["notes"][1].get<std::string>().find("1000 of 10000 nodes"), std::string::npos);
}

TEST(HeatMap, AFigureThatANodeLacksIsNull) {
  campaign::Fleet fleet = made_up_fleet(20, 2);
  campaign::FleetMetric& metric = fleet.metrics[0];  // node 0 has no good figure of it
  metric.nodes.erase(metric.nodes.begin());
  metric.figures.erase(metric.figures.begin());
  const nlohmann::json data = heat_map_json(fleet);
  int missing = 0;
  for (const auto& row : data["rows"]) {
    for (std::size_t n = 0; n < data["nodes"].size(); ++n) {
      EXPECT_EQ(row["values"][n].is_null(), row["losses"][n].is_null());
      if (row["values"][n].is_null()) {
        ++missing;
        EXPECT_EQ(data["nodes"][n]["name"], "n0");
      }
    }
  }
  EXPECT_EQ(missing, 1);
}

TEST(HeatMap, NamesOfNodesAreNoCommands) {
  campaign::Fleet fleet = made_up_fleet(12, 2);
  fleet.nodes[7].name = "x'\n!touch y";
  const std::string script = heat_map_script(heat_map(fleet), render::Format::svg, "out.svg");
  EXPECT_EQ(script.find("\n!"), std::string::npos);
}

TEST(HeatMap, ARowOfOneNodeIsNone) {
  EXPECT_TRUE(heat_map(made_up_fleet(2, 3)).nodes.empty());
  EXPECT_TRUE(heat_map({}).nodes.empty());
}

}  // namespace
}  // namespace gable::campaign
