#include "core/questions/campaign/retest.hpp"

#include <algorithm>
#include <cmath>

#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"
#include "core/questions/campaign/nodelist.hpp"

namespace gable::campaign {
namespace {

/// Fewer controls tell less than the fleet's first median.
constexpr std::size_t least_controls = 3;

/// Slow, or without good figures. A node that has also failed rows is among them.
bool is_suspect(const FleetNode& node) { return node.lacks_figures() || node.flagged + node.to_retest > 0; }

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

std::vector<double> control_figures(const Fleet& fleet, const FleetMetric& metric, const RetestRound& summaries) {
  std::vector<double> figures;
  for (const FleetNode& node : fleet.nodes) {
    const auto found = summaries.find(node.name);
    if (node.verdict != NodeVerdict::pass || found == summaries.end()) continue;
    if (const auto figure = figure_of(found->second, metric)) figures.push_back(figure->value);
  }
  return figures;
}

struct SlowAndControls {
  std::vector<std::string> slow, controls;
};

/// As many controls as there are slow nodes, as long as there are any, spread evenly over those that pass.
SlowAndControls slow_and_controls(const Fleet& fleet) {
  SlowAndControls nodes;
  for (const FleetNode& node : fleet.nodes) {
    if (is_suspect(node)) nodes.slow.push_back(node.name);
  }
  const std::vector<std::string> healthy = fleet.names({NodeVerdict::pass});
  const std::size_t count = std::min(healthy.size(), nodes.slow.size());
  for (std::size_t i = 0; i < count; ++i) nodes.controls.push_back(healthy[i * healthy.size() / count]);
  return nodes;
}

/// Slow by the rule that found it, with the scale of the first measurement; how many nodes there were has been judged
/// then.
bool is_slow(const FleetFigure& figure, const Finding& finding, double against, double tolerance, bool more_is_better) {
  if (!finding.scale) return judge_by_reference(figure, against, tolerance, more_is_better) == NodeVerdict::flagged;
  FleetSpread spread{.nodes = least_to_flag};
  spread.median = against;
  spread.scale = *finding.scale;
  return judge_by_fleet(figure, spread, more_is_better) == NodeVerdict::flagged;
}

/// Adds what one round says of a row.
void judge_round(RetestRow& row, const Fleet& fleet, const RetestRound& summaries) {
  const Finding& finding = fleet.findings[row.finding];
  const FleetMetric& metric = fleet.metrics[finding.metric];
  const auto summary = summaries.find(fleet.nodes[finding.node].name);
  const auto figure = summary == summaries.end() ? std::nullopt : figure_of(summary->second, metric);
  if (!figure) return;
  const auto controls = control_figures(fleet, metric, summaries);
  const bool beside_fleet = finding.basis == FindingBasis::fleet, more_is_better = is_rate(metric.unit);
  const bool by_controls = beside_fleet && controls.size() >= least_controls;
  const double against = by_controls ? measure::median(controls) : *finding.against;
  ++row.rounds;
  if (is_slow(*figure, finding, against, fleet.tolerance, more_is_better)) ++row.slow_rounds;
  const double loss = loss_of(figure->value, against, more_is_better);
  if (row.loss && *row.loss >= loss) return;
  row.loss = loss;
  row.value = figure->value;
  row.against = against;
  row.controls = by_controls || !beside_fleet ? controls.size() : 0;
  row.controls_loss.reset();
  if (!beside_fleet && !controls.empty())
    row.controls_loss = loss_of(measure::median(controls), against, more_is_better);
}

/// Of what was seen in `bad` of `rounds`.
Persistence persistence_of(std::size_t bad, std::size_t rounds) {
  if (rounds == 0) return Persistence::unknown;
  return bad == rounds ? Persistence::persistent : Persistence::intermittent;
}

/// What FleetNode::without_figure is, of this summary of the node. Of one whose last rows did not fit into it those
/// that are not there tell nothing.
std::size_t without_figure(const NodeSummary& summary, const Fleet& fleet, const FleetNode& node) {
  std::size_t count = 0;
  for (const FleetMetric& metric : fleet.metrics) {
    const auto is_own = [&](const SummaryDevice& device) {
      return device.id == metric.slot && device.name == metric.device;
    };
    const auto is_there = [&](const SummaryRow& row) {
      return row.name == metric.name && is_own(summary.devices[row.device]) &&
             (metric.expected || row.status != Status::unsupported);
    };
    const bool counts = metric.expected || node.counts_lost;
    if (!counts || std::ranges::none_of(summary.devices, is_own) || figure_of(summary, metric)) continue;
    if ((summary.left_out == 0 && metric.expected) || std::ranges::any_of(summary.rows, is_there)) ++count;
  }
  return count;
}

RetestNode judge_figures(std::size_t index, const Fleet& fleet, const std::vector<RetestRound>& rounds) {
  const FleetNode& node = fleet.nodes[index];
  RetestNode again{.node = index};
  for (const RetestRound& round : rounds) {
    const auto found = round.find(node.name);
    if (found == round.end() || found->second.rows.empty()) continue;
    const std::size_t without = without_figure(found->second, fleet, node);
    ++again.rounds;
    if (node.are_too_many(without)) ++again.lacking_rounds;
    again.most_without_figure = std::max(again.most_without_figure.value_or(0), without);
  }
  again.persistence = persistence_of(again.lacking_rounds, again.rounds);
  return again;
}

}  // namespace

bool Retest::mended() const {
  const auto well = [](const auto& one) { return one.persistence == Persistence::intermittent; };
  return std::ranges::all_of(rows, well) && std::ranges::all_of(lacking, well);
}

std::vector<std::string> retest_nodes(const Fleet& fleet) {
  const auto [slow, controls] = slow_and_controls(fleet);
  std::vector<std::string> list;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    list.push_back(slow[i]);
    if (i < controls.size()) list.push_back(controls[i]);
  }
  return list;
}

std::vector<BatchStep> retest_steps(const Fleet& fleet, int retest, int rounds) {
  const auto [slow, controls] = slow_and_controls(fleet);
  std::vector<BatchStep> steps;
  for (int round = 1; round <= rounds; ++round) {
    const bool controls_first = round % 2 == 0;
    for (const auto* nodes : {controls_first ? &controls : &slow, controls_first ? &slow : &controls}) {
      if (!nodes->empty()) steps.push_back({.nodes = *nodes, .retest = retest, .round = round});
    }
  }
  return steps;
}

Retest judge_retest(const Fleet& fleet, const std::vector<RetestRound>& rounds) {
  Retest retest;
  for (std::size_t i = 0; i < fleet.findings.size(); ++i) {
    const Finding& finding = fleet.findings[i];
    if (finding.verdict != NodeVerdict::flagged && finding.verdict != NodeVerdict::retest) continue;
    RetestRow row{.finding = i};
    for (const RetestRound& round : rounds) judge_round(row, fleet, round);
    row.persistence = persistence_of(row.slow_rounds, row.rounds);
    retest.rows.push_back(row);
  }
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    if (fleet.nodes[i].lacks_figures()) retest.lacking.push_back(judge_figures(i, fleet, rounds));
  }
  return retest;
}

Answer answer_of(const Retest& retest, const Fleet& fleet) {
  std::vector<std::string> persistent, intermittent, unknown;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    if (!is_suspect(fleet.nodes[i])) continue;
    const auto has = [&](Persistence persistence) {
      const auto row_has = [&](const RetestRow& row) {
        return fleet.findings[row.finding].node == i && row.persistence == persistence;
      };
      const auto node_has = [&](const RetestNode& one) { return one.node == i && one.persistence == persistence; };
      return std::ranges::any_of(retest.rows, row_has) || std::ranges::any_of(retest.lacking, node_has);
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
  answer.add_table("rows", "rows measured again", table_of(retest.rows, [&](const RetestRow& row) -> Answer::Facts {
                     const Finding& finding = fleet.findings[row.finding];
                     const FleetMetric& metric = fleet.metrics[finding.metric];
                     const auto shown = [&](const std::optional<double>& value) {
                       return value ? Answer::Value(format_quantity(*value, metric.unit)) : Answer::Value();
                     };
                     return {{"node", "node", fleet.nodes[finding.node].name},
                             {"name", "row", metric.name},
                             {"slot", "slot", metric.slot},
                             {"basis", "slow beside", finding.basis},
                             {"persistence", "it is", row.persistence},
                             {"first_loss", "first loss", finding.loss, "%"},
                             {"rounds", "rounds", row.rounds},
                             {"slow_rounds", "slow in", row.slow_rounds},
                             {"second_loss", "largest loss again", row.loss, "%"},
                             {"value", row.value},
                             {"", "figure", shown(row.value)},
                             {"against", row.against},
                             {"", "beside", shown(row.against)},
                             {"unit", metric.unit},
                             {"controls", "controls", row.controls},
                             {"controls_loss", "their loss", row.controls_loss, "%"}};
                   }));
  answer.add_table("lacking", "nodes with rows without a good figure",
                   table_of(retest.lacking, [&](const RetestNode& one) -> Answer::Facts {
                     const FleetNode& node = fleet.nodes[one.node];
                     return {{"node", "node", node.name},
                             {"persistence", "it is", one.persistence},
                             {"first_without_figure", "rows at first", node.without_figure},
                             {"accepted", "accepted", std::floor(node.accepted_without_figure)},
                             {"rounds", "rounds", one.rounds},
                             {"lacking_rounds", "too many in", one.lacking_rounds},
                             {"most_without_figure", "most again", one.most_without_figure}};
                   }));
  return answer;
}

}  // namespace gable::campaign
