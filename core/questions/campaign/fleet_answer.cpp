#include "core/questions/campaign/fleet_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/model/units.hpp"
#include "core/questions/campaign/nodelist.hpp"
#include "core/questions/check/acceptance.hpp"
#include "core/sequence.hpp"
#include "core/text/csv_table.hpp"

namespace gable::campaign {
namespace {

/// Rows of tables for people; programs have all.
constexpr std::size_t most_shown = 40;

/// The names of nodes by their indices, as a list.
std::string list_of(const Fleet& fleet, const std::vector<std::size_t>& nodes) {
  return compress_nodelist(mapped(nodes, [&](std::size_t node) { return fleet.nodes[node].name; }));
}

Answer::Facts node_facts(const FleetNode& node) {
  return {{"name", "node", node.name},
          {"verdict", "verdict", node.verdict},
          {"host", "host", named(node.host)},
          {"reason", "why", named(node.reason)},
          {"expected", node.expected},
          {"measured_at", named(node.measured_at)},
          {"judged", node.judged},
          {"", "rows judged", node.rows() > 0 ? fmt::format("{} of {}", node.judged, node.rows()) : ""},
          {"not_judged", node.unjudged},
          {"without_figure", "without figure", node.without_figure},
          {"flagged", "flagged", node.flagged},
          {"to_retest", "to retest", node.to_retest},
          {"failed", "failed", node.failed},
          {"worst_loss", node.worst_loss}};
}

Answer::Facts metric_facts(const FleetMetric& metric, const Fleet& fleet) {
  if (metric.figures.empty())
    return {{"name", "row", metric.name}, {"slot", "slot", metric.slot}, {"device", metric.device},
            {"unit", metric.unit},        {"nodes", "nodes", 0},         {"flagged", "flagged", 0},
            {"to_retest", "to retest", 0}};
  const FleetSpread& spread = metric.spread;
  const std::string &least = fleet.nodes[metric.nodes[spread.at_least]].name,
                    &most = fleet.nodes[metric.nodes[spread.at_most]].name;
  return {{"name", "row", metric.name},
          {"slot", "slot", metric.slot},
          {"device", metric.device},
          {"unit", metric.unit},
          {"nodes", "nodes", spread.nodes},
          {"median", spread.median},
          {"", "median", format_quantity(spread.median, metric.unit)},
          {"mad", "MAD", spread.mad, "%"},
          {"half_width", spread.half_width},
          {"scale", "scale", spread.scale, "%"},
          {"least", spread.least},
          {"", "least", format_quantity(spread.least, metric.unit)},
          {"least_node", "on", least},
          {"most", spread.most},
          {"", "most", format_quantity(spread.most, metric.unit)},
          {"most_node", "on ", most},
          {"reference", metric.reference},
          {"change", "since earlier", metric.change, "%"},
          {"flagged", "flagged", metric.flagged},
          {"to_retest", "to retest", metric.to_retest}};
}

Answer::Facts finding_facts(const Finding& finding, const Fleet& fleet) {
  const FleetMetric& metric = fleet.metrics[finding.metric];
  const auto shown = [&](const std::optional<double>& value) {
    return value ? Answer::Value(format_quantity(*value, metric.unit)) : Answer::Value();
  };
  return {{"node", "node", fleet.nodes[finding.node].name},
          {"name", "row", metric.name},
          {"slot", "slot", metric.slot},
          {"verdict", "verdict", finding.verdict},
          {"value", finding.value},
          {"", "figure", shown(finding.value)},
          {"against", finding.against},
          {"", "beside", shown(finding.against)},
          {"unit", metric.unit},
          {"loss", "loss", finding.loss, "%"},
          {"basis", "judged by", finding.basis},
          {"cause", "cause", named(finding.cause)}};
}

Answer::Facts drift_facts(const Drift& drift, const Fleet& fleet) {
  return {{"name", "fact", drift.name},           {"most", "most nodes", drift.most},
          {"other", "others", drift.other},       {"nodes", "which", list_of(fleet, drift.nodes)},
          {"count", "nodes", drift.nodes.size()}, {"not_passing", "not passing", drift.suspicious}};
}

Answer::Facts group_facts(const FleetGroup& group, const Fleet& fleet) {
  return {{"name", "group", group.name},
          {"nodes", "which", named(list_of(fleet, group.nodes))},
          {"count", "nodes", group.nodes.size()},
          {"not_passing", "not passing", group.not_passing},
          {"slow_rows", "slow rows", group.slow_rows},
          {"worst_loss", "worst loss", group.worst_loss, "%"}};
}

Answer::Facts group_median_facts(const GroupMedian& one, const Fleet& fleet, const FleetGroups& groups) {
  const FleetMetric& metric = fleet.metrics[one.metric];
  return {{"group", "group", groups.groups[one.group].name},
          {"name", "row", metric.name},
          {"slot", groups.of_slots ? Answer::Value() : Answer::Value(metric.slot)},
          {"device", metric.device},
          {"unit", metric.unit},
          {"nodes", "figures", one.nodes},
          {"median", one.median},
          {"", "median", format_quantity(one.median, metric.unit)},
          {"others", one.others},
          {"", "others", one.others ? Answer::Value(format_quantity(*one.others, metric.unit)) : Answer::Value()},
          {"loss", "loss", one.loss, "%"},
          {"slow", one.slow},
          {"", "it is", one.slow ? "slow" : ""}};
}

/// The first rows for people, all for programs.
template <class Items, class FactsOf>
void add_long_table(Answer& answer, const std::string& key, const std::string& title, const Items& all,
                    const Items& shown, FactsOf&& facts_of) {
  answer.add_table(key, "", table_of(all, facts_of)).readers = Answer::Readers::programs;
  if (shown.empty()) return;
  const Items first(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(std::min(shown.size(), most_shown)));
  answer.show_table(title, table_of(first, facts_of));
  if (first.size() < shown.size())
    answer.say(fmt::format("… and {} more: --format json and csv have all.", shown.size() - first.size()));
}

void add_groups(Answer& answer, const Fleet& fleet, const FleetGroups& groups) {
  answer.add_facts("", "", {{"grouped_by", groups.by}, {"nodes_in_no_group", groups.in_none}});
  add_long_table(answer, "groups", fmt::format("groups by {}", groups.by), groups.groups, groups.groups,
                 [&](const FleetGroup& one) { return group_facts(one, fleet); });
  for (const FleetGroup& group : groups.groups) {
    if (group.slow_rows > 0)
      answer.say(
          fmt::format("The group {} is slow as a whole: {} row{}, up to {:.1f} % beside the median of all others.",
                      group.name, group.slow_rows, group.slow_rows == 1 ? "" : "s", 100 * group.worst_loss));
  }
  if (groups.in_none > 0) answer.say(fmt::format("{} nodes are in no group.", groups.in_none));
  add_long_table(answer, "group_medians", "medians of groups beside all others", groups.medians, groups.medians,
                 [&](const GroupMedian& one) { return group_median_facts(one, fleet, groups); });
}

using questions::AcceptanceVerdict;

AcceptanceVerdict verdict_of(NodeVerdict verdict) {
  if (verdict == NodeVerdict::pass) return AcceptanceVerdict::pass;
  if (verdict == NodeVerdict::unjudged || verdict == NodeVerdict::retest) return AcceptanceVerdict::unjudged;
  if (verdict == NodeVerdict::flagged) return AcceptanceVerdict::low;
  return verdict == NodeVerdict::damaged ? AcceptanceVerdict::suspicious : AcceptanceVerdict::missing;
}

}  // namespace

std::vector<std::string> suggested_drains(const Fleet& fleet) {
  std::vector<std::string> lines;
  for (const FleetNode& node : fleet.nodes) {
    if (node.verdict != NodeVerdict::flagged && node.verdict != NodeVerdict::failed) continue;
    std::vector<std::string> why;
    if (node.flagged > 0)
      why.push_back(fmt::format("{} rows slow, up to {:.1f} %", node.flagged, 100 * node.worst_loss));
    if (node.lacking_devices > 0) why.push_back(fmt::format("{} devices absent", node.lacking_devices));
    if (node.failed > 0) why.push_back(fmt::format("{} rows fail", node.failed));
    if (why.empty()) why.emplace_back("not measured");
    lines.push_back(
        fmt::format("scontrol update NodeName={} State=DRAIN Reason='gable: {}'", node.name, fmt::join(why, ", ")));
  }
  return lines;
}

std::string conclusion(const Fleet& fleet) {
  using enum NodeVerdict;
  std::string text =
      fmt::format("{} of {} node{} pass", fleet.count(pass), fleet.nodes.size(), fleet.nodes.size() == 1 ? "" : "s");
  for (const auto verdict : {flagged, failed, damaged, absent, retest, unjudged}) {
    const auto names = fleet.names({verdict});
    if (names.empty()) continue;
    text += fmt::format("; {} {}: {}", names.size(), verdict == retest ? "to measure again" : to_string(verdict),
                        compress_nodelist(names));
  }
  const auto loss = [](const Finding& one) { return one.loss.value_or(0); };
  const auto found = std::ranges::max_element(fleet.findings, {}, loss);
  if (found == fleet.findings.end() || !found->loss) return text + '.';
  const Finding& worst = *found;
  text += fmt::format(". The largest loss is {:.1f} % of {} on {}", 100 * *worst.loss, fleet.metrics[worst.metric].name,
                      fleet.nodes[worst.node].name);
  return text + (worst.cause.empty() ? "." : fmt::format(" ({}).", worst.cause));
}

Answer answer_of(const Fleet& fleet, const FleetGroups* groups) {
  using enum NodeVerdict;
  Answer answer{.title = "Campaign"};
  const std::string passing = compress_nodelist(fleet.names({pass})),
                    failing = compress_nodelist(fleet.names({flagged, failed, damaged, absent})),
                    again = compress_nodelist(fleet.names({retest}));
  answer.add_notes("", {conclusion(fleet)});
  answer
      .add_facts("", "",
                 {{"format", "gable-campaign"},
                  {"schema_version", plan_version},
                  {"plan", fleet.plan},
                  {"passed", fleet.passed()},
                  {"nodes_expected_or_seen", fleet.nodes.size()},
                  {"pass", fleet.count(pass)},
                  {"not_judged", fleet.count(unjudged)},
                  {"retest", fleet.count(retest)},
                  {"flagged", fleet.count(flagged)},
                  {"failed", fleet.count(failed)},
                  {"damaged", fleet.count(damaged)},
                  {"absent", fleet.count(absent)},
                  {"passing_nodes", "passing nodes", named(passing)},
                  {"failing_nodes", "failing nodes", named(failing)},
                  {"retest_nodes", "nodes to retest", named(again)},
                  {"remarks", fleet.remarks}})
      .notes = fleet.remarks;
  auto not_passing = filtered(fleet.nodes, [](const FleetNode& node) { return node.verdict != pass; });
  std::ranges::stable_sort(not_passing, std::greater<>{}, &FleetNode::verdict);
  add_long_table(answer, "nodes", "nodes that do not pass", fleet.nodes, not_passing, node_facts);
  add_long_table(answer, "findings", "what is wrong with them", fleet.findings, fleet.findings,
                 [&](const Finding& one) { return finding_facts(one, fleet); });
  const auto measured = filtered(fleet.metrics, [](const FleetMetric& metric) { return !metric.figures.empty(); });
  add_long_table(answer, "metrics", "rows over all nodes", fleet.metrics, measured,
                 [&](const FleetMetric& one) { return metric_facts(one, fleet); });
  add_long_table(answer, "drifts", "where nodes differ from most", fleet.drifts, fleet.drifts,
                 [&](const Drift& one) { return drift_facts(one, fleet); });
  if (groups) add_groups(answer, fleet, *groups);
  const auto lines = suggested_drains(fleet);
  answer.add_facts("", "", {{"suggested", lines}});
  if (!lines.empty())
    answer.add_notes("suggested, and run by nobody here",
                     {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), most_shown))});
  if (!fleet.passed() && !fleet.failed())
    answer.add_notes("", {"Not accepted yet, though no node fails: measure again what gable campaign retest lists, or "
                          "name a reference with --against."});
  return answer;
}

std::string nodes_csv(const Fleet& fleet) {
  std::string text = csv_line({"name", "host", "verdict", "reason", "expected", "measured_at", "judged", "not_judged",
                               "flagged", "to_retest", "failed", "worst_loss"});
  for (const FleetNode& node : fleet.nodes) {
    const auto count = [](std::size_t number) { return fmt::format("{}", number); };
    text += csv_line({csv_cell(node.name), csv_cell(node.host), csv_cell(to_string(node.verdict)),
                      csv_cell(node.reason), node.expected ? "true" : "false", csv_cell(node.measured_at),
                      count(node.judged), count(node.unjudged), count(node.flagged), count(node.to_retest),
                      count(node.failed), csv_cell(node.worst_loss)});
  }
  return text;
}

std::string fleet_junit(const Fleet& fleet) {
  questions::Checked checked{.remarks = fleet.remarks, .properties = {{"plan", fleet.plan}}};
  for (const FleetNode& node : fleet.nodes) {
    checked.rows.push_back({.name = node.name, .criterion = "node", .verdict = verdict_of(node.verdict)});
    if (node.verdict != NodeVerdict::pass)
      checked.rows.back().reason = fmt::format("{}: {}", to_string(node.verdict), node.reason);
  }
  return junit(checked, "gable campaign report");
}

}  // namespace gable::campaign
