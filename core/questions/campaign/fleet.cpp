#include "core/questions/campaign/fleet_builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/sequence.hpp"
#include "core/text/safe_text.hpp"

namespace gable::campaign {
namespace {

/// What a node is told to be worse than.
std::string_view beside(FindingBasis basis) {
  if (basis == FindingBasis::reference) return "the reference";
  return basis == FindingBasis::earlier ? "it was earlier" : "the fleet's median";
}

float as_read(const std::optional<double>& value) { return value ? static_cast<float>(*value) : FleetRead::absent; }

/// The most frequent of them.
const std::string& most_of(const std::map<std::string, std::size_t>& reasons) {
  return std::ranges::max_element(reasons, {}, [](const auto& one) { return one.second; })->first;
}

/// Damaged summaries of an earlier campaign tell nothing.
void read_earlier(FleetBuilder& builder, const std::filesystem::path& folder, const Plan& plan) {
  const Plan earlier = read_plan(folder);
  if (earlier.id == plan.id)
    throw Error(fmt::format("'{}' is this campaign itself, not an earlier one", printable(folder.string())));
  for (const std::string& node : nodes_with_summary(folder)) {
    try {
      const NodeSummary summary = read_summary(summary_file(folder, {node}));
      if (summary.plan == earlier.id && summary.node == node && summary.retest == 0) builder.add_earlier(node, summary);
    } catch (const Error&) {
    }
  }
}

}  // namespace

FleetNode& FleetBuilder::node_named(const std::string& name) {
  const auto [at, is_new] = index_.try_emplace(name, fleet_.nodes.size());
  if (is_new) {
    fleet_.nodes.push_back({.name = name});
    fleet_.nodes.back().expected = false;
  }
  return fleet_.nodes[at->second];
}

std::size_t FleetBuilder::limit_named(const std::string& text) {
  const auto found = std::ranges::find(limits_, text);
  if (found != limits_.end()) return static_cast<std::size_t>(found - limits_.begin());
  limits_.push_back(text);
  return limits_.size() - 1;
}

void FleetBuilder::add_row(std::size_t node, const SummaryRow& row, const SummaryDevice& device) {
  const auto [at, is_new] = keys_.try_emplace(FleetKey{row.name, device.id, device.name}, groups_.size());
  if (is_new) {
    groups_.push_back(
        {.metric = {.name = row.name, .slot = device.id, .device = device.name, .unit = row.unit, .spread = {}}});
  }
  FleetRow& group = groups_[at->second];
  if (row.status != Status::ok || !row.value || !(*row.value > 0) || row.unit != group.metric.unit) {
    group.lost.push_back({node, row.status, row.reason});
    return;
  }
  group.metric.nodes.push_back(node);
  group.metric.figures.push_back({*row.value, row.low, row.high});
  group.read.push_back({as_read(row.clock_hz), as_read(row.power_w), as_read(row.temperature_c),
                        row.clock_limits.empty() ? 0 : limit_named(row.clock_limits)});
}

void FleetBuilder::judge_missing_figures() {
  constexpr double allowed_part = 0.1;
  std::vector<double> counts;
  for (const FleetNode& node : fleet_.nodes) {
    if (node.rows() > 0) counts.push_back(static_cast<double>(node.without_figure));
  }
  if (counts.empty()) return;
  const double usual = measure::median(counts);
  for (const auto& [at, reasons] : why_lost_) {
    FleetNode& node = fleet_.nodes[at];
    const auto rows = static_cast<double>(node.rows());
    node.accepted_without_figure = usual + std::max(1.0, allowed_part * rows);
    if (node.lacks_figures()) {
      raise(node.verdict, NodeVerdict::retest);
      if (node.reason.empty())
        node.reason = fmt::format("{} rows that most nodes have are without a good figure: {}", node.without_figure,
                                  most_of(reasons));
    } else if (node.lacks_most()) {
      node.counts_lost = true;
      node.without_figure = node.lost;
      node.accepted_without_figure = rows / 2;
    }
  }
}

void FleetBuilder::find_lost_slots() {
  std::map<std::string, std::set<std::size_t>> slots;
  std::set<std::size_t> all;
  for (const auto& [kind, nodes] : kinds_) {
    slots[kind.first].insert(nodes.begin(), nodes.end());
    all.insert(nodes.begin(), nodes.end());
  }
  for (const auto& [slot, nodes] : slots) {
    if (!is_most(nodes.size(), all.size())) continue;
    for (const std::size_t node : all) {
      if (nodes.contains(node)) continue;
      FleetNode& lacking = fleet_.nodes[node];
      raise(lacking.verdict, NodeVerdict::failed);
      ++lacking.lacking_devices;
      lacking.reason += fmt::format("{}it lacks the device {}, which {} of {} nodes have",
                                    lacking.reason.empty() ? "" : "; ", slot, nodes.size(), all.size());
    }
  }
}

void FleetBuilder::find_drifts() {
  for (const auto& [name, values] : facts_) {
    if (values.size() < 2) continue;
    const auto most = std::ranges::max_element(values, {}, [](const auto& one) { return one.second.size(); });
    if (!is_most(most->second.size(), measured_)) continue;  // told by few, or another on every node
    for (const auto& [value, nodes] : values) {
      if (value == most->first) continue;
      Drift drift{.name = name, .most = most->first, .other = value, .nodes = nodes};
      drift.suspicious = static_cast<std::size_t>(std::ranges::count_if(
          nodes, [&](std::size_t node) { return fleet_.nodes[node].verdict >= NodeVerdict::retest; }));
      fleet_.drifts.push_back(std::move(drift));
    }
  }
  std::ranges::stable_sort(fleet_.drifts, std::greater<>{}, [](const Drift& one) { return one.suspicious; });
}

void FleetBuilder::sort_nodes() {
  std::vector<std::size_t> order;
  for (const auto& [name, i] : index_) order.push_back(i);
  std::vector<std::size_t> place(order.size());
  std::vector<FleetNode> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(fleet_.nodes[order[i]]));
  }
  fleet_.nodes = std::move(sorted);
  const auto renumber = [&](std::vector<std::size_t>& nodes) {
    for (std::size_t& node : nodes) node = place[node];
  };
  for (FleetMetric& metric : fleet_.metrics) renumber(metric.nodes);
  for (Drift& drift : fleet_.drifts) renumber(drift.nodes);
  for (Finding& finding : fleet_.findings) finding.node = place[finding.node];
}

void FleetBuilder::explain_verdicts() {
  std::ranges::stable_sort(fleet_.findings, [](const Finding& a, const Finding& b) {
    return std::pair(a.verdict, a.loss.value_or(0)) > std::pair(b.verdict, b.loss.value_or(0));
  });
  std::vector<bool> told(fleet_.nodes.size());
  for (const Finding& finding : fleet_.findings) {
    FleetNode& node = fleet_.nodes[finding.node];
    if (told[finding.node]) continue;
    told[finding.node] = true;
    const FleetMetric& metric = fleet_.metrics[finding.metric];
    if (!node.reason.empty()) continue;
    node.reason = finding.loss ? fmt::format("{} {}: {:.1f} % worse than {}", metric.slot, metric.name,
                                             100 * *finding.loss, beside(finding.basis))
                               : fmt::format("{} {}: {}", metric.slot, metric.name, finding.cause);
  }
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    FleetNode& node = fleet_.nodes[i];
    if (node.verdict == NodeVerdict::flagged && node.lacks_most()) {  // slow beside other work is no fault
      node.verdict = NodeVerdict::retest;
      node.reason += fmt::format(", but {} of {} rows have no good figure", node.lost, node.rows());
    }
    if (node.verdict != NodeVerdict::pass || (node.judged > 0 && 2 * node.judged >= node.rows())) continue;
    node.verdict = NodeVerdict::unjudged;
    std::string why = "nothing to compare the others with";
    if (measured_ < least_to_retest && !options_.reference) why = "too few nodes: name a reference with --against";
    if (node.lost > 0 && 2 * node.lost >= node.unjudged) why = most_of(why_lost_.at(i));
    node.reason = fmt::format("{} of {} rows judged: {}", node.judged, node.rows(), why);
  }
}

void FleetBuilder::remark() {
  auto& remarks = fleet_.remarks;
  if (measured_ < least_to_retest)
    remarks.push_back(fmt::format("{} node{} measured: below {} only a reference (--against) tells which is slow.",
                                  measured_, measured_ == 1 ? " was" : "s were", least_to_retest));
  else if (measured_ < least_to_flag)
    remarks.push_back(fmt::format("{} nodes were measured: below {} a slow one is to be measured again, not flagged.",
                                  measured_, least_to_flag));
  if (modes_.size() > 1) remarks.push_back("Nodes were measured in different modes, quick and full.");
  if (!left_out_.empty())
    remarks.push_back(
        fmt::format("Rows did not fit into the summaries of {} node{}, at most {} of one, and were not "
                    "compared there.",
                    left_out_.size(), left_out_.size() == 1 ? "" : "s",
                    std::ranges::max_element(left_out_, {}, [](const auto& one) { return one.second; })->second));
  const auto unexpected = std::ranges::count_if(fleet_.nodes, [](const FleetNode& node) { return !node.expected; });
  const bool named = static_cast<std::size_t>(unexpected) < fleet_.nodes.size();
  if (named && unexpected > 0)
    remarks.push_back(fmt::format("{} node{} not in the plan.", unexpected, unexpected == 1 ? " is" : "s are"));
  if (!named) remarks.push_back("The plan names no nodes (init --nodes): absent ones cannot be told.");
  if (!options_.again.empty())
    remarks.push_back(fmt::format("{} of the nodes were slow or lacked good figures at first, and pass by a retest.",
                                  options_.again.size()));
  if (with_earlier_)
    remarks.push_back(fmt::format("{} of {} measured nodes have a row of the earlier campaign on the same device.",
                                  with_earlier_->size(), measured_));
  const auto has_none = [](const FleetMetric& one) { return !one.reference.has_value(); };
  if (options_.reference && !fleet_.metrics.empty() && std::ranges::all_of(fleet_.metrics, has_none))
    throw Error("--against: it has no row of a device of the nodes");
}

FleetBuilder::FleetBuilder(const Plan& plan, FleetOptions options) : options_(std::move(options)) {
  fleet_.plan = plan.id;
  fleet_.tolerance = options_.tolerance;
  for (const std::string& name : plan.nodes) {
    node_named(name).expected = true;
    explain_absence(name, "it has no result");
  }
}

void FleetBuilder::add_damaged(const std::string& name, std::string reason) {
  FleetNode& node = node_named(name);
  node.verdict = NodeVerdict::damaged;
  node.reason = std::move(reason) + "; move it away and run 'gable campaign run' there again";
}

void FleetBuilder::explain_absence(const std::string& name, std::string reason) {
  FleetNode& node = node_named(name);
  node.verdict = NodeVerdict::absent;
  node.reason = std::move(reason);
}

void FleetBuilder::add(const std::string& name, NodeSummary summary) {
  if (summary.plan != fleet_.plan) return add_damaged(name, fmt::format("its summary is of another plan"));
  if (summary.node != name)
    return add_damaged(name, fmt::format("its summary is of the node '{}'", printable(summary.node)));
  if (summary.retest != 0) return add_damaged(name, "its summary is of a retest");
  FleetNode& node = node_named(name);
  node.measured_at = summary.measured_at;
  node.host = summary.host;
  node.verdict = summary.failure.empty() ? NodeVerdict::pass : NodeVerdict::failed;
  node.reason = summary.failure.empty() ? "" : fmt::format("it was not measured: {}", summary.failure);
  if (!summary.failure.empty()) return;
  const std::size_t i = index_.at(name);
  ++measured_;
  modes_.insert(summary.mode);
  if (summary.left_out > 0) left_out_[i] = summary.left_out;
  for (const SummaryDevice& device : summary.devices) kinds_[{device.id, device.name}].push_back(i);
  for (const SummaryFact& fact : summary.facts) {
    if (fact.name == options_.fact) fleet_.fact_of_node[name] = fact.value;
    auto& nodes = facts_[fact.name][fact.value];
    if (nodes.empty() || nodes.back() != i) nodes.push_back(i);  // a node that tells it twice is one
  }
  for (const SummaryRow& row : summary.rows) add_row(i, row, summary.devices[row.device]);
}

void FleetBuilder::add_earlier(const std::string& name, const NodeSummary& summary) {
  if (!with_earlier_) with_earlier_.emplace();
  const auto node = index_.find(name);
  if (node == index_.end()) return;
  for (const SummaryRow& row : summary.rows) {
    const SummaryDevice& device = summary.devices[row.device];
    const auto found = keys_.find(FleetKey{row.name, device.id, device.name});
    if (found == keys_.end() || row.status != Status::ok || !row.value || !(*row.value > 0)) continue;
    FleetRow& group = groups_[found->second];
    if (row.unit != group.metric.unit) continue;
    group.earlier[node->second] = {*row.value, row.low, row.high};
    with_earlier_->insert(node->second);
  }
}

Fleet FleetBuilder::finish() {
  find_lost_slots();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    judge(i, groups_[i]);
    find_lost(i, groups_[i]);
  }
  judge_missing_figures();
  for (FleetRow& group : groups_) fleet_.metrics.push_back(std::move(group.metric));
  find_drifts();
  explain_verdicts();
  remark();
  sort_nodes();
  return std::move(fleet_);
}

std::size_t Fleet::count(NodeVerdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(nodes, verdict, &FleetNode::verdict));
}

std::vector<std::string> Fleet::names(std::initializer_list<NodeVerdict> verdicts) const {
  const auto is_of_them = [&](const FleetNode& node) { return std::ranges::count(verdicts, node.verdict) != 0; };
  return mapped(nodes | std::views::filter(is_of_them), &FleetNode::name);
}

bool Fleet::failed() const {
  return nodes.empty() || std::ranges::max_element(nodes, {}, &FleetNode::verdict)->verdict >= NodeVerdict::flagged;
}

Fleet read_fleet(const std::filesystem::path& folder, const FleetOptions& options,
                 const std::optional<std::filesystem::path>& earlier) {
  const Plan plan = read_plan(folder);
  FleetBuilder builder(plan, options);
  const auto measured = nodes_with_summary(folder);
  std::set<std::string> told;
  for (const std::string& node : measured) {
    try {
      const auto again = options.again.find(node);
      NodeSummary summary = again == options.again.end() ? read_summary(summary_file(folder, {node})) : again->second;
      if (!options.fact.empty()) {
        for (const SummaryFact& fact : summary.facts) told.insert(fact.name);
      }
      builder.add(node, std::move(summary));
    } catch (const Error& error) {
      builder.add_damaged(node, fmt::format("its summary cannot be read: {}", error.what()));
    }
  }
  if (!options.fact.empty() && !told.contains(options.fact))
    throw Error(fmt::format("no node tells '{}'; they tell: {}", printable(options.fact),
                            printable(fmt::format("{}", fmt::join(told, "; ")))));
  if (earlier) read_earlier(builder, *earlier, plan);
  std::error_code none;
  for (const std::string& node : nodes_begun(folder)) {
    if (std::ranges::binary_search(measured, node)) continue;
    const bool has_result = std::filesystem::exists(result_file(folder, {node}), none);
    builder.explain_absence(node, has_result ? "it has a result, but no summary: run 'gable campaign run' there again"
                                             : "it began and did not finish: run 'gable campaign run' there again");
  }
  return builder.finish();
}

}  // namespace gable::campaign
