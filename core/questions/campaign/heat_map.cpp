#include "core/questions/campaign/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/questions/campaign/flag_rule.hpp"
#include "core/questions/report/plot_json.hpp"
#include "core/render/answer.hpp"
#include "core/render/gnuplot.hpp"
#include "core/render/page.hpp"
#include "core/result/provenance.hpp"

namespace gable::campaign {
namespace {

using nlohmann::json;

double loss_at(const FleetMetric& metric, std::size_t i) {
  return loss_of(metric.figures[i].value, metric.spread.median, is_rate(metric.unit));
}

/// The indices of the largest, at most so many, in falling order. What is -infinity is left out.
std::vector<std::size_t> largest(const std::vector<double>& losses, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (losses[i] > -std::numeric_limits<double>::infinity()) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return losses[i]; });
  order.resize(std::min(order.size(), most));
  return order;
}

json nodes_of(const Fleet& fleet, const HeatMap& map) {
  json nodes = json::array();
  for (const std::size_t i : map.node_at) {
    const FleetNode& node = fleet.nodes[i];
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

json row_of(const FleetMetric& metric, const HeatMap& map, std::size_t row) {
  const auto json_of = [](const std::optional<double>& figure) { return figure ? json(*figure) : json(nullptr); };
  json values = json::array(), losses = json::array();
  for (const auto& cells_of_node : map.cells) {
    values.push_back(json_of(cells_of_node[row].value));
    losses.push_back(json_of(cells_of_node[row].loss));
  }
  return {{"name", metric.name},
          {"slot", metric.slot},
          {"device", metric.device},
          {"unit", metric.unit},
          {"median", metric.spread.median},
          {"values", std::move(values)},
          {"losses", std::move(losses)}};
}

json findings_of(const Fleet& fleet, const HeatMap& map) {
  const auto nodes = places(map.node_at), rows = places(map.row_at);
  json findings = json::array();
  for (const Finding& finding : fleet.findings) {
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

HeatMap heat_map(const Fleet& fleet, std::size_t most_nodes, std::size_t most_rows) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<double> of_nodes(fleet.nodes.size(), none), of_rows(fleet.metrics.size(), none);
  HeatMap map{.all_nodes = fleet.nodes.size()};
  for (std::size_t m = 0; m < fleet.metrics.size(); ++m) {
    const FleetMetric& metric = fleet.metrics[m];
    if (metric.figures.size() < 2) continue;
    ++map.all_rows;
    for (std::size_t i = 0; i < metric.figures.size(); ++i) {
      const double loss = loss_at(metric, i);
      of_rows[m] = std::max(of_rows[m], loss);
      of_nodes[metric.nodes[i]] = std::max(of_nodes[metric.nodes[i]], loss);
    }
  }
  map.nodes_without_figures = static_cast<std::size_t>(std::ranges::count(of_nodes, none));
  const auto nodes = largest(of_nodes, most_nodes), rows = largest(of_rows, most_rows);
  map.node_at = nodes;
  map.row_at = rows;
  const auto place = places(nodes);
  for (const std::size_t node : nodes) map.nodes.push_back(fleet.nodes[node].name);
  std::set<std::pair<std::size_t, std::size_t>> found;
  for (const Finding& finding : fleet.findings) found.emplace(finding.node, finding.metric);
  map.cells.assign(nodes.size(), std::vector<HeatCell>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const FleetMetric& metric = fleet.metrics[rows[r]];
    map.rows.push_back(metric.slot + " " + metric.name);
    for (std::size_t i = 0; i < metric.figures.size(); ++i) {
      if (const auto at = place.find(metric.nodes[i]); at != place.end())
        map.cells[at->second][r] = {metric.figures[i].value, loss_at(metric, i)};
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) map.cells[n][r].found = found.contains({nodes[n], rows[r]});
  }
  return map;
}

std::vector<std::string> heat_map_notes(const HeatMap& map) {
  std::vector<std::string> notes{
      "Loss beside the median of all nodes; the largest losses stand first, what the report found is framed."};
  const std::size_t with_figures = map.all_nodes - map.nodes_without_figures;
  if (map.nodes.size() < with_figures)
    notes.push_back(
        fmt::format("{} of {} nodes are shown: those with the largest losses.", map.nodes.size(), with_figures));
  if (map.rows.size() < map.all_rows)
    notes.push_back(
        fmt::format("{} of {} rows are shown: those with the largest losses.", map.rows.size(), map.all_rows));
  if (map.nodes_without_figures > 0)
    notes.push_back(fmt::format("{} node{} without a figure that others have too: not shown.",
                                map.nodes_without_figures, map.nodes_without_figures == 1 ? " is" : "s are"));
  return notes;
}

void draw_heat_map(const Fleet& fleet, const std::filesystem::path& output) {
  render::draw_picture(output, [&](render::Format format, const std::filesystem::path& picture) {
    const HeatMap map = heat_map(fleet);
    if (map.nodes.empty()) throw Error("there is nothing to draw: no two nodes have a figure of the same row");
    return heat_map_script(map, format, picture);
  });
}

json heat_map_json(const Fleet& fleet) {
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

std::string fleet_page(const Fleet& fleet, const Answer& answer, const std::string& title) {
  render::Document document = render::document_of(answer);
  document.title = title;
  auto& verdict = std::get<render::Paragraph>(document.blocks.front());
  verdict.lead = true;
  const HeatMap map = heat_map(fleet);
  if (render::has_page() && !map.nodes.empty()) {
    json campaign = heat_map_json(fleet);
    campaign["conclusion"] = verdict.text;
    document.blocks.erase(document.blocks.begin());
    campaign["report"] = document_json(document);
    return render::page({{"title", title},
                         {"gable_version", result::this_build().version},
                         {"schema_version", report::plot_data_version},
                         {"devices", json::array()},
                         {"campaign", std::move(campaign)}});
  }
  if (map.nodes.empty()) return html(document);
  std::string svg = render::drawn_svg(std::bind_front(heat_map_script, map));
  std::vector<std::variant<render::Heading, render::Paragraph, render::List, render::Table, render::Picture>> blocks{
      render::Heading{"Nodes by rows"}, render::Picture{"Losses of nodes by rows", std::move(svg)},
      render::List{heat_map_notes(map)}};
  document.blocks.insert(document.blocks.begin() + 1, std::make_move_iterator(blocks.begin()),
                         std::make_move_iterator(blocks.end()));
  return html(document);
}

}  // namespace gable::campaign
