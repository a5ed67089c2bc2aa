#include "core/campaign/retest.hpp"

#include <algorithm>
#include <cstddef>

#include "core/campaign/nodelist.hpp"
#include "core/enum_names.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"

namespace gable::campaign {
namespace {

constexpr auto names = enum_names<Persistence>({{Persistence::persistent, "persistent"},
                                                {Persistence::intermittent, "intermittent"},
                                                {Persistence::unknown, "not known"}});
/// Fewer controls tell less than the fleet's first median.
constexpr std::size_t least_controls = 3;

/// Slow, or without good figures. A node that has also failed rows is among them.
bool is_suspect(const FleetNode& node) {
  return node.verdict == NodeVerdict::retest || node.flagged + node.to_retest > 0;
}

/// The good figure of a row in a slot of the same kind of device; nothing without one.
std::optional<FleetFigure> figure_of(const NodeSummary& summary, const FleetMetric& metric) {
  for (const SummaryRow& row : summary.rows) {
    const SummaryDevice& device = summary.devices[row.device];
    if (row.name == metric.name && device.id == metric.slot && device.name == metric.device && row.value &&
        row.status == Status::ok)
      return FleetFigure{*row.value, row.low, row.high};
  }
  return {};
}

std::vector<double> control_figures(const Fleet& fleet, const FleetMetric& metric,
                                    const std::map<std::string, NodeSummary>& summaries) {
  std::vector<double> figures;
  for (const FleetNode& node : fleet.nodes) {
    const auto found = summaries.find(node.name);
    if (node.verdict != NodeVerdict::pass || found == summaries.end()) continue;
    if (const auto figure = figure_of(found->second, metric)) figures.push_back(figure->value);
  }
  return figures;
}

}  // namespace

std::string_view to_string(Persistence persistence) { return names.name(persistence); }

std::vector<std::string> retest_nodes(const Fleet& fleet) {
  std::vector<std::string> suspects, healthy = fleet.names({NodeVerdict::pass}), list;
  for (const FleetNode& node : fleet.nodes) {
    if (is_suspect(node)) suspects.push_back(node.name);
  }
  const std::size_t controls = std::min(healthy.size(), suspects.size());
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    list.push_back(suspects[i]);
    if (i < controls) list.push_back(healthy[i * healthy.size() / controls]);
  }
  return list;
}

std::vector<RetestRow> judge_retest(const Fleet& fleet, const std::map<std::string, NodeSummary>& summaries) {
  std::vector<RetestRow> rows;
  for (std::size_t i = 0; i < fleet.findings.size(); ++i) {
    const Finding& finding = fleet.findings[i];
    if (finding.verdict != NodeVerdict::flagged && finding.verdict != NodeVerdict::retest) continue;
    RetestRow row{.finding = i};
    const FleetMetric& metric = fleet.metrics[finding.metric];
    const auto summary = summaries.find(fleet.nodes[finding.node].name);
    const auto figure = summary == summaries.end() ? std::nullopt : figure_of(summary->second, metric);
    if (figure) {
      const auto controls = control_figures(fleet, metric, summaries);
      row.controls = controls.size() < least_controls ? 0 : controls.size();
      row.value = figure->value;
      row.against = row.controls > 0 ? measure::median(controls) : *finding.against;
      const bool more_is_better = is_rate(metric.unit);
      row.loss = loss_of(*row.value, *row.against, more_is_better);
      FleetSpread spread = metric.spread;
      spread.median = *row.against;
      spread.nodes = least_to_flag;  // how many there were has been judged the first time
      const bool again = judge_by_fleet(*figure, spread, more_is_better) == NodeVerdict::flagged;
      row.persistence = again ? Persistence::persistent : Persistence::intermittent;
    }
    rows.push_back(row);
  }
  return rows;
}

Answer answer_of(const std::vector<RetestRow>& rows, const Fleet& fleet) {
  std::vector<std::string> persistent, intermittent, unknown;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    if (!is_suspect(fleet.nodes[i])) continue;
    const auto has = [&](Persistence persistence) {
      return std::ranges::any_of(rows, [&](const RetestRow& row) {
        return fleet.findings[row.finding].node == i && row.persistence == persistence;
      });
    };
    auto& list = has(Persistence::persistent) ? persistent : has(Persistence::intermittent) ? intermittent : unknown;
    list.push_back(fleet.nodes[i].name);
  }
  Answer answer{.title = "Retest"};
  answer.add_facts("", "",
                   {{"plan", fleet.plan},
                    {"persistent_nodes", "persistent", named(compress_nodelist(persistent))},
                    {"intermittent_nodes", "intermittent", named(compress_nodelist(intermittent))},
                    {"unknown_nodes", "without a second result", named(compress_nodelist(unknown))}});
  answer.add_table("rows", "rows measured again", table_of(rows, [&](const RetestRow& row) -> Answer::Facts {
                     const Finding& finding = fleet.findings[row.finding];
                     const FleetMetric& metric = fleet.metrics[finding.metric];
                     const auto shown = [&](const std::optional<double>& value) {
                       return value ? Answer::Value(format_quantity(*value, metric.unit)) : Answer::Value();
                     };
                     return {{"node", "node", fleet.nodes[finding.node].name},
                             {"name", "row", metric.name},
                             {"slot", "slot", metric.slot},
                             {"persistence", "it is", row.persistence},
                             {"first_loss", "first loss", finding.loss, "%"},
                             {"second_loss", "second loss", row.loss, "%"},
                             {"value", row.value},
                             {"", "figure", shown(row.value)},
                             {"against", row.against},
                             {"", "beside", shown(row.against)},
                             {"unit", metric.unit},
                             {"controls", "controls", row.controls}};
                   }));
  return answer;
}

}  // namespace gable::campaign
