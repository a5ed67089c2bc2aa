#include "core/questions/campaign/fleet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"
#include "core/questions/campaign/cause.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/text/safe_text.hpp"

namespace gable::campaign {
namespace {

/// What most nodes have: more than this part of them.
constexpr double most_of_nodes = 0.5;
constexpr float absent = std::numeric_limits<float>::quiet_NaN();

/// Which figures are compared: one quantity, in one slot, of one kind of device.
struct Key {
  std::string name, slot, device;
  auto operator<=>(const Key&) const = default;
};

/// What a node read beside a figure. Texts of limits are kept once.
struct Read {
  float clock_hz{absent}, power_w{absent}, temperature_c{absent};
  std::size_t limits{};  ///< 0: none
};

/// A row without a good figure.
struct Lost {
  std::size_t node{};
  Status status{};
  std::string reason;
};

struct Group {
  FleetMetric metric;
  std::unordered_map<std::size_t, FleetFigure> earlier{};  ///< of its nodes
  std::vector<Read> read{};                                ///< beside FleetMetric::figures
  std::vector<Lost> lost{};
};

constexpr auto basis_names = enum_names<FindingBasis>(
    {{FindingBasis::fleet, "fleet"}, {FindingBasis::reference, "reference"}, {FindingBasis::earlier, "earlier"}});

/// What a node is told to be worse than.
std::string_view beside(FindingBasis basis) {
  switch (basis) {
    case FindingBasis::reference:
      return "the reference";
    case FindingBasis::earlier:
      return "it was earlier";
    case FindingBasis::fleet:
      break;
  }
  return "the fleet's median";
}

float as_read(const std::optional<double>& value) { return value ? static_cast<float>(*value) : absent; }

std::optional<double> as_told(float value) {
  return std::isnan(value) ? std::nullopt : std::optional(static_cast<double>(value));
}

/// Median of what is told; nothing where nobody tells.
std::optional<double> median_told(const std::vector<Read>& read, float Read::*member) {
  std::vector<double> values;
  for (const Read& one : read) {
    if (!std::isnan(one.*member)) values.push_back(static_cast<double>(one.*member));
  }
  if (values.empty()) return {};
  return measure::median(values);
}

bool is_most(std::size_t part, std::size_t all) {
  return static_cast<double>(part) > most_of_nodes * static_cast<double>(all);
}

/// It has a summary with rows.
bool was_measured(const FleetNode& node) { return node.judged + node.unjudged + node.failed > 0; }

void raise(NodeVerdict& verdict, NodeVerdict to) {
  if (to > verdict) verdict = to;
}

}  // namespace

struct FleetBuilder::Parts {
  Fleet fleet;
  FleetOptions options;
  std::map<std::string, std::size_t> index;  ///< of Fleet::nodes, by name
  std::map<Key, std::size_t> keys;           ///< of groups
  std::vector<Group> groups;
  std::vector<std::string> limits{""};
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> kinds;  ///< slot and device: nodes
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> facts;   ///< name: value: nodes
  std::set<Mode> modes;
  std::size_t measured{};
  std::optional<std::set<std::size_t>> with_earlier{};  ///< nodes; nothing where no earlier campaign was named
  std::map<std::size_t, int> left_out;                  ///< nodes whose rows did not all fit into their summary
  std::map<std::size_t, std::map<std::string, std::size_t>> why_without_figure;  ///< node: reason: rows

  FleetNode& node_named(const std::string& name) {
    const auto [at, is_new] = index.try_emplace(name, fleet.nodes.size());
    if (is_new) {
      fleet.nodes.push_back({.name = name});
      fleet.nodes.back().expected = false;
    }
    return fleet.nodes[at->second];
  }

  std::size_t limit_named(const std::string& text) {
    const auto found = std::ranges::find(limits, text);
    if (found != limits.end()) return static_cast<std::size_t>(found - limits.begin());
    limits.push_back(text);
    return limits.size() - 1;
  }

  void add_row(std::size_t node, const SummaryRow& row, const SummaryDevice& device) {
    const auto [at, is_new] = keys.try_emplace(Key{row.name, device.id, device.name}, groups.size());
    if (is_new) {
      groups.push_back(
          {.metric = {.name = row.name, .slot = device.id, .device = device.name, .unit = row.unit, .spread = {}}});
    }
    Group& group = groups[at->second];
    if (row.status != Status::ok || !row.value || !(*row.value > 0) || row.unit != group.metric.unit) {
      group.lost.push_back({node, row.status, row.reason});
      return;
    }
    group.metric.nodes.push_back(node);
    group.metric.figures.push_back({*row.value, row.low, row.high});
    group.read.push_back({as_read(row.clock_hz), as_read(row.power_w), as_read(row.temperature_c),
                          row.clock_limits.empty() ? 0 : limit_named(row.clock_limits)});
  }

  Sensors sensors_of(const Read& read) const {
    return {as_told(read.clock_hz), as_told(read.power_w), as_told(read.temperature_c), limits[read.limits]};
  }

  /// Medians, and what holds the clock of most nodes back.
  Sensors sensors_of(const Group& group) const {
    Sensors sensors{median_told(group.read, &Read::clock_hz), median_told(group.read, &Read::power_w),
                    median_told(group.read, &Read::temperature_c)};
    std::map<std::size_t, std::size_t> counts;
    for (const Read& one : group.read) ++counts[one.limits];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    if (most != counts.end() && is_most(most->second, group.read.size())) sensors.clock_limits = limits[most->first];
    return sensors;
  }

  std::optional<double> reference_of(const FleetMetric& metric) const {
    if (!options.reference) return {};
    const NodeSummary& summary = *options.reference;
    const SummaryRow* found = nullptr;
    for (const SummaryRow& row : summary.rows) {
      const SummaryDevice& device = summary.devices[row.device];
      if (row.name != metric.name || row.status != Status::ok || device.name != metric.device) continue;
      if (!found || device.id == metric.slot) found = &row;
    }
    return found ? found->value : std::nullopt;
  }

  void find(const Group& group, std::size_t i, const Sensors& sensors, Finding finding) {
    const FleetMetric& metric = group.metric;
    const bool more_is_better = is_rate(metric.unit);
    finding.node = metric.nodes[i];
    finding.value = metric.figures[i].value;
    finding.loss = loss_of(*finding.value, *finding.against, more_is_better);
    finding.cause = cause_of(sensors_of(group.read[i]), sensors, *finding.loss);
    FleetNode& node = fleet.nodes[finding.node];
    ++(finding.verdict == NodeVerdict::retest ? node.to_retest : node.flagged);
    node.worst_loss = std::max(node.worst_loss, *finding.loss);
    raise(node.verdict, finding.verdict);
    fleet.findings.push_back(std::move(finding));
  }

  /// Figures beside the nodes' own earlier ones, in the order of the metric's nodes: the ratio and its widest interval.
  struct Changes {
    std::vector<FleetFigure> ratios{};
    std::vector<std::optional<std::size_t>> at{};  ///< of a node among `ratios`
    FleetSpread spread{};
  };
  static Changes changes_of(const Group& group) {
    Changes changes;
    const FleetMetric& metric = group.metric;
    changes.at.resize(metric.nodes.size());
    for (std::size_t i = 0; i < metric.nodes.size(); ++i) {
      const auto found = group.earlier.find(metric.nodes[i]);
      if (found == group.earlier.end()) continue;
      const FleetFigure &now = metric.figures[i], &then = found->second;
      changes.at[i] = changes.ratios.size();
      changes.ratios.push_back({now.value / then.value, {}, {}});
      if (now.low && now.high && then.low && then.high && *then.low > 0) {
        changes.ratios.back().low = *now.low / *then.high;
        changes.ratios.back().high = *now.high / *then.low;
      }
    }
    if (!changes.ratios.empty()) changes.spread = spread_of(changes.ratios);
    return changes;
  }

  /// A judgement replaces one that is milder.
  static void judge_more(Finding& finding, FindingBasis basis, NodeVerdict verdict, double against,
                         std::optional<double> scale = {}) {
    if (finding.verdict == NodeVerdict::unjudged) finding.verdict = NodeVerdict::pass;
    if (verdict <= finding.verdict) return;
    finding.verdict = verdict;
    finding.basis = basis;
    finding.against = against;
    finding.scale = scale;
  }

  void judge_beside_earlier(const Group& group, std::size_t i, const Changes& changes, Finding& finding) const {
    if (!changes.at[i]) return;
    const FleetMetric& metric = group.metric;
    const bool more_is_better = is_rate(metric.unit);
    const double then = group.earlier.at(metric.nodes[i]).value;
    judge_more(finding, FindingBasis::earlier,
               judge_by_reference(metric.figures[i], then, options.tolerance, more_is_better), then);
    const NodeVerdict by_change = judge_by_fleet(changes.ratios[*changes.at[i]], changes.spread, more_is_better);
    if (by_change != NodeVerdict::unjudged)
      judge_more(finding, FindingBasis::earlier, by_change, then * changes.spread.median, changes.spread.scale);
  }

  void judge(std::size_t index_of_metric, Group& group) {
    constexpr std::size_t least_to_tell_change = 3;
    FleetMetric& metric = group.metric;
    metric.reference = reference_of(metric);
    if (metric.figures.empty()) return;
    metric.spread = spread_of(metric.figures);
    const Changes changes = changes_of(group);
    if (changes.ratios.size() >= least_to_tell_change) metric.change = changes.spread.median - 1;
    const bool more_is_better = is_rate(metric.unit);
    const Sensors sensors = sensors_of(group);
    for (std::size_t i = 0; i < metric.figures.size(); ++i) {
      FleetNode& node = fleet.nodes[metric.nodes[i]];
      Finding finding{.metric = index_of_metric,
                      .verdict = judge_by_fleet(metric.figures[i], metric.spread, more_is_better),
                      .against = metric.spread.median,
                      .scale = metric.spread.scale};
      if (metric.reference)
        judge_more(finding, FindingBasis::reference,
                   judge_by_reference(metric.figures[i], *metric.reference, options.tolerance, more_is_better),
                   *metric.reference);
      judge_beside_earlier(group, i, changes, finding);
      ++(finding.verdict == NodeVerdict::unjudged ? node.unjudged : node.judged);
      if (finding.verdict == NodeVerdict::retest) ++metric.to_retest;
      if (finding.verdict == NodeVerdict::flagged) ++metric.flagged;
      if (finding.verdict == NodeVerdict::retest || finding.verdict == NodeVerdict::flagged)
        find(group, i, sensors, std::move(finding));
    }
  }

  /// Nodes that lack what most nodes with this device have. A figure that is only not to be trusted is not judged here:
  /// judge_missing_figures() counts them.
  void find_lost(std::size_t index_of_metric, Group& group) {
    FleetMetric& metric = group.metric;
    const auto& owners = kinds[{metric.slot, metric.device}];
    std::map<std::size_t, const Lost*> lost;
    for (const Lost& one : group.lost) lost.emplace(one.node, &one);
    const bool expected = metric.expected = is_most(metric.nodes.size(), owners.size());
    const std::set<std::size_t> have(metric.nodes.begin(), metric.nodes.end());
    for (const std::size_t owner : owners) {
      if (have.contains(owner)) continue;
      const auto found = lost.find(owner);
      const bool cut_off = found == lost.end() && left_out.contains(owner);
      const bool is_error = !cut_off && (found == lost.end() || found->second->status == Status::error);
      if (!expected || !is_error) {
        ++fleet.nodes[owner].unjudged;
        if (expected && !cut_off) {
          ++fleet.nodes[owner].without_figure;
          ++why_without_figure[owner][fmt::format("{}: {}", to_string(found->second->status), found->second->reason)];
        }
        continue;
      }
      Finding finding{.node = owner, .metric = index_of_metric, .verdict = NodeVerdict::failed};
      finding.cause = found == lost.end()
                          ? "it has no such row"
                          : fmt::format("{}: {}", to_string(found->second->status), found->second->reason);
      ++fleet.nodes[owner].failed;
      raise(fleet.nodes[owner].verdict, NodeVerdict::failed);
      fleet.findings.push_back(std::move(finding));
    }
  }

  /// A node whose figures cannot be trusted where most nodes' can is not well: it is to be measured again where more of
  /// its rows than a tenth, and than one, are so beyond what is usual in the fleet.
  void judge_missing_figures() {
    constexpr double allowed_part = 0.1;
    std::vector<double> counts;
    for (const FleetNode& node : fleet.nodes) {
      if (was_measured(node)) counts.push_back(static_cast<double>(node.without_figure));
    }
    if (counts.empty()) return;
    const double usual = measure::median(counts);
    for (const auto& [at, reasons] : why_without_figure) {
      FleetNode& node = fleet.nodes[at];
      const auto rows = static_cast<double>(node.judged + node.unjudged + node.failed);
      node.accepted_without_figure = usual + std::max(1.0, allowed_part * rows);
      if (!node.lacks_figures()) continue;
      raise(node.verdict, NodeVerdict::retest);
      const auto most = std::ranges::max_element(reasons, {}, [](const auto& one) { return one.second; });
      if (node.reason.empty())
        node.reason =
            fmt::format("{} rows that most nodes have are without a good figure: {}", node.without_figure, most->first);
    }
  }

  /// A node that lacks a device fails.
  void find_lost_slots() {
    std::map<std::string, std::set<std::size_t>> slots;
    std::set<std::size_t> all;
    for (const auto& [kind, nodes] : kinds) {
      slots[kind.first].insert(nodes.begin(), nodes.end());
      all.insert(nodes.begin(), nodes.end());
    }
    for (const auto& [slot, nodes] : slots) {
      if (!is_most(nodes.size(), all.size())) continue;
      for (const std::size_t node : all) {
        if (nodes.contains(node)) continue;
        FleetNode& lacking = fleet.nodes[node];
        raise(lacking.verdict, NodeVerdict::failed);
        ++lacking.lacking_devices;
        lacking.reason += fmt::format("{}it lacks the device {}, which {} of {} nodes have",
                                      lacking.reason.empty() ? "" : "; ", slot, nodes.size(), all.size());
      }
    }
  }

  void find_drifts() {
    for (const auto& [name, values] : facts) {
      if (values.size() < 2) continue;
      const auto most = std::ranges::max_element(values, {}, [](const auto& one) { return one.second.size(); });
      if (!is_most(most->second.size(), measured)) continue;  // told by few, or another on every node
      for (const auto& [value, nodes] : values) {
        if (value == most->first) continue;
        Drift drift{.name = name, .most = most->first, .other = value, .nodes = nodes};
        drift.suspicious = static_cast<std::size_t>(std::ranges::count_if(
            nodes, [&](std::size_t node) { return fleet.nodes[node].verdict >= NodeVerdict::retest; }));
        fleet.drifts.push_back(std::move(drift));
      }
    }
    std::ranges::stable_sort(fleet.drifts, std::greater<>{}, [](const Drift& one) { return one.suspicious; });
  }

  /// Nodes in the order of their names, as lists of nodes are.
  void sort_nodes() {
    std::vector<std::size_t> order;
    for (const auto& [name, i] : index) order.push_back(i);
    std::vector<std::size_t> place(order.size());
    std::vector<FleetNode> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(std::move(fleet.nodes[order[i]]));
    }
    fleet.nodes = std::move(sorted);
    const auto renumber = [&](std::vector<std::size_t>& nodes) {
      for (std::size_t& node : nodes) node = place[node];
    };
    for (FleetMetric& metric : fleet.metrics) renumber(metric.nodes);
    for (Drift& drift : fleet.drifts) renumber(drift.nodes);
    for (Finding& finding : fleet.findings) finding.node = place[finding.node];
  }

  void explain_verdicts() {
    std::ranges::stable_sort(fleet.findings, [](const Finding& a, const Finding& b) {
      return std::pair(a.verdict, a.loss.value_or(0)) > std::pair(b.verdict, b.loss.value_or(0));
    });
    std::vector<bool> told(fleet.nodes.size());
    for (const Finding& finding : fleet.findings) {
      FleetNode& node = fleet.nodes[finding.node];
      if (told[finding.node]) continue;
      told[finding.node] = true;
      const FleetMetric& metric = fleet.metrics[finding.metric];
      if (!node.reason.empty()) continue;
      node.reason = finding.loss ? fmt::format("{} {}: {:.1f} % worse than {}", metric.slot, metric.name,
                                               100 * *finding.loss, beside(finding.basis))
                                 : fmt::format("{} {}: {}", metric.slot, metric.name, finding.cause);
    }
    for (FleetNode& node : fleet.nodes) {
      if (node.verdict == NodeVerdict::pass && node.judged == 0) {
        node.verdict = NodeVerdict::unjudged;
        node.reason = measured < least_to_retest && !options.reference
                          ? "too few nodes: name a reference with --against"
                          : "no good figure that others have too";
      }
    }
  }

  void remark() {
    auto& remarks = fleet.remarks;
    if (measured < least_to_retest)
      remarks.push_back(fmt::format("{} node{} measured: below {} only a reference (--against) tells which is slow.",
                                    measured, measured == 1 ? " was" : "s were", least_to_retest));
    else if (measured < least_to_flag)
      remarks.push_back(fmt::format("{} nodes were measured: below {} a slow one is to be measured again, not flagged.",
                                    measured, least_to_flag));
    if (modes.size() > 1) remarks.push_back("Nodes were measured in different modes, quick and full.");
    if (!left_out.empty())
      remarks.push_back(
          fmt::format("Rows did not fit into the summaries of {} node{}, at most {} of one, and were not "
                      "compared there.",
                      left_out.size(), left_out.size() == 1 ? "" : "s",
                      std::ranges::max_element(left_out, {}, [](const auto& one) { return one.second; })->second));
    const auto unexpected = std::ranges::count_if(fleet.nodes, [](const FleetNode& node) { return !node.expected; });
    const bool named = static_cast<std::size_t>(unexpected) < fleet.nodes.size();
    if (named && unexpected > 0)
      remarks.push_back(fmt::format("{} node{} not in the plan.", unexpected, unexpected == 1 ? " is" : "s are"));
    if (!named) remarks.push_back("The plan names no nodes (init --nodes): absent ones cannot be told.");
    if (with_earlier)
      remarks.push_back(fmt::format("{} of {} measured nodes have a row of the earlier campaign on the same device.",
                                    with_earlier->size(), measured));
    if (options.reference &&
        std::ranges::none_of(fleet.metrics, [](const FleetMetric& one) { return one.reference.has_value(); }))
      remarks.push_back("The reference has no row of a device of this name: it judges nothing.");
  }
};

std::string_view to_string(FindingBasis basis) { return basis_names.name(basis); }

FleetBuilder::FleetBuilder(const Plan& plan, FleetOptions options) : parts_(std::make_unique<Parts>()) {
  parts_->fleet.plan = plan.id;
  parts_->fleet.tolerance = options.tolerance;
  parts_->options = std::move(options);
  for (const std::string& name : plan.nodes) {
    FleetNode& node = parts_->node_named(name);
    node.expected = true;
    node.verdict = NodeVerdict::absent;
    node.reason = "it has no result";
  }
}

FleetBuilder::~FleetBuilder() = default;

void FleetBuilder::add_damaged(const std::string& name, std::string reason) {
  FleetNode& node = parts_->node_named(name);
  node.verdict = NodeVerdict::damaged;
  node.reason = std::move(reason);
}

void FleetBuilder::explain_absence(const std::string& name, std::string reason) {
  FleetNode& node = parts_->node_named(name);
  node.verdict = NodeVerdict::absent;
  node.reason = std::move(reason);
}

void FleetBuilder::add(const std::string& name, NodeSummary summary) {
  Parts& parts = *parts_;
  if (summary.plan != parts.fleet.plan) return add_damaged(name, fmt::format("its summary is of another plan"));
  if (summary.node != name)
    return add_damaged(name, fmt::format("its summary is of the node '{}'", printable(summary.node)));
  if (summary.retest != 0) return add_damaged(name, "its summary is of a retest");
  FleetNode& node = parts.node_named(name);
  node.measured_at = summary.measured_at;
  node.host = summary.host;
  node.verdict = summary.failure.empty() ? NodeVerdict::pass : NodeVerdict::failed;
  node.reason = summary.failure.empty() ? "" : fmt::format("it was not measured: {}", summary.failure);
  if (!summary.failure.empty()) return;
  const std::size_t i = parts.index.at(name);
  ++parts.measured;
  parts.modes.insert(summary.mode);
  if (summary.left_out > 0) parts.left_out[i] = summary.left_out;
  for (const SummaryDevice& device : summary.devices) parts.kinds[{device.id, device.name}].push_back(i);
  for (const SummaryFact& fact : summary.facts) {
    if (fact.name == parts.options.fact) parts.fleet.fact_of_node[name] = fact.value;
    auto& nodes = parts.facts[fact.name][fact.value];
    if (nodes.empty() || nodes.back() != i) nodes.push_back(i);  // a node that tells it twice is one
  }
  for (const SummaryRow& row : summary.rows) parts.add_row(i, row, summary.devices[row.device]);
}

void FleetBuilder::add_earlier(const std::string& name, const NodeSummary& summary) {
  Parts& parts = *parts_;
  if (!parts.with_earlier) parts.with_earlier.emplace();
  const auto node = parts.index.find(name);
  if (node == parts.index.end()) return;
  for (const SummaryRow& row : summary.rows) {
    const SummaryDevice& device = summary.devices[row.device];
    const auto found = parts.keys.find(Key{row.name, device.id, device.name});
    if (found == parts.keys.end() || row.status != Status::ok || !row.value || !(*row.value > 0)) continue;
    Group& group = parts.groups[found->second];
    if (row.unit != group.metric.unit) continue;
    group.earlier[node->second] = {*row.value, row.low, row.high};
    parts.with_earlier->insert(node->second);
  }
}

Fleet FleetBuilder::finish() {
  Parts& parts = *parts_;
  parts.find_lost_slots();
  for (std::size_t i = 0; i < parts.groups.size(); ++i) {
    parts.judge(i, parts.groups[i]);
    parts.find_lost(i, parts.groups[i]);
  }
  parts.judge_missing_figures();
  for (Group& group : parts.groups) parts.fleet.metrics.push_back(std::move(group.metric));
  parts.find_drifts();
  parts.explain_verdicts();
  parts.remark();
  parts.sort_nodes();
  return std::move(parts.fleet);
}

std::size_t Fleet::count(NodeVerdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(nodes, verdict, &FleetNode::verdict));
}

std::vector<std::string> Fleet::names(std::initializer_list<NodeVerdict> verdicts) const {
  std::vector<std::string> found;
  for (const FleetNode& node : nodes) {
    if (std::ranges::count(verdicts, node.verdict) != 0) found.push_back(node.name);
  }
  return found;
}

bool Fleet::passed() const {
  return !nodes.empty() &&
         std::ranges::none_of(nodes, [](const FleetNode& node) { return node.verdict >= NodeVerdict::flagged; });
}

namespace {

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

Fleet read_fleet(const std::filesystem::path& folder, const FleetOptions& options,
                 const std::optional<std::filesystem::path>& earlier) {
  const Plan plan = read_plan(folder);
  FleetBuilder builder(plan, options);
  const auto measured = nodes_with_summary(folder);
  std::set<std::string> told;
  for (const std::string& node : measured) {
    try {
      NodeSummary summary = read_summary(summary_file(folder, {node}));
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
