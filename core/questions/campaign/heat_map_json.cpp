
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/questions/campaign/flag_rule.hpp"
#include "core/questions/campaign/heat_map.hpp"

namespace gable::campaign {
namespace {

using nlohmann::json;

json nodes_of(const campaign::Fleet& fleet, const HeatMap& map) {
  json nodes = json::array();
  for (const std::size_t i : map.node_at) {
    const campaign::FleetNode& node = fleet.nodes[i];
    nodes.push_back({{"name", node.name}, {"verdict", to_string(node.verdict)}, {"reason", node.reason}});
  }
  return nodes;
}

/// The place of each index in a list.
std::map<std::size_t, std::size_t> places(const std::vector<std::size_t>& list) {
  std::map<std::size_t, std::size_t> place;
  for (std::size_t i = 0; i < list.size(); ++i) place[list[i]] = i;
  return place;
}

json row_of(const campaign::FleetMetric& metric, const HeatMap& map, std::size_t row) {
  const auto place = places(map.node_at);
  json values = json::array(), losses = json::array();
  for (std::size_t n = 0; n < map.node_at.size(); ++n) {
    const auto& loss = map.cells[n][row].loss;
    values.push_back(nullptr);
    losses.push_back(loss ? json(*loss) : json(nullptr));
  }
  for (std::size_t i = 0; i < metric.figures.size(); ++i) {
    if (const auto at = place.find(metric.nodes[i]); at != place.end()) values[at->second] = metric.figures[i].value;
  }
  return {{"name", metric.name},
          {"slot", metric.slot},
          {"device", metric.device},
          {"unit", metric.unit},
          {"median", metric.spread.median},
          {"values", std::move(values)},
          {"losses", std::move(losses)}};
}

json findings_of(const campaign::Fleet& fleet, const HeatMap& map) {
  const auto nodes = places(map.node_at), rows = places(map.row_at);
  json findings = json::array();
  for (const campaign::Finding& finding : fleet.findings) {
    const auto node = nodes.find(finding.node), row = rows.find(finding.metric);
    if (node == nodes.end() || row == rows.end()) continue;
    findings.push_back({{"node", node->second},
                        {"row", row->second},
                        {"verdict", to_string(finding.verdict)},
                        {"basis", to_string(finding.basis)},
                        {"cause", finding.cause}});
  }
  return findings;
}

json table_json(const render::Table& table) {
  json columns = json::array();
  for (const TextTable::Column& column : table.table.columns())
    columns.push_back({{"title", column.title}, {"right", column.right}});
  return {{"caption", table.caption}, {"columns", std::move(columns)}, {"rows", table.table.rows()}};
}

}  // namespace

json heat_map_json(const campaign::Fleet& fleet) {
  const HeatMap map = heat_map(fleet, most_page_nodes, most_page_rows);
  json rows = json::array();
  for (std::size_t r = 0; r < map.row_at.size(); ++r) rows.push_back(row_of(fleet.metrics[map.row_at[r]], map, r));
  return {{"nodes", nodes_of(fleet, map)},
          {"rows", std::move(rows)},
          {"findings", findings_of(fleet, map)},
          {"notes", heat_map_notes(map)}};
}

json document_json(const render::Document& document) {
  json blocks = json::array();
  for (const auto& block : document.blocks) {
    std::visit(
        [&]<class Block>(const Block& one) {
          if constexpr (std::is_same_v<Block, render::Heading>) blocks.push_back({{"heading", one.text}});
          if constexpr (std::is_same_v<Block, render::Paragraph>) blocks.push_back({{"text", one.text}});
          if constexpr (std::is_same_v<Block, render::List>) blocks.push_back({{"items", one.items}});
          if constexpr (std::is_same_v<Block, render::Table>) blocks.push_back(table_json(one));
        },
        block);
  }
  return blocks;
}

}  // namespace gable::campaign
