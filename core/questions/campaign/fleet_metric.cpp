#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"
#include "core/questions/campaign/fleet_builder.hpp"
#include "core/sequence.hpp"

namespace gable::campaign {
namespace {

std::optional<double> as_told(float value) {
  return std::isnan(value) ? std::nullopt : std::optional(static_cast<double>(value));
}

/// Median of what is told; nothing where nobody tells.
std::optional<double> median_told(const std::vector<FleetRead>& read, float FleetRead::*member) {
  return measure::median_if_any(told_by(read, [&](const FleetRead& one) { return as_told(one.*member); }));
}

/// From here on a clock is lower, a power is another, and a device is hotter.
constexpr double least_clock_loss = 0.01, least_power_change = 0.05, least_heat_c = 5;

}  // namespace

std::string cause_of(const Sensors& node, const Sensors& fleet, double loss) {
  std::vector<std::string> texts;
  bool told = false;
  if (!node.clock_limits.empty()) {
    texts.push_back(node.clock_limits == fleet.clock_limits
                        ? fmt::format("its clock is held back by {}, as most nodes' are", node.clock_limits)
                        : fmt::format("its clock is held back by {}", node.clock_limits));
  }
  if (node.clock_hz && fleet.clock_hz) {
    told = true;
    const double lower = 1 - *node.clock_hz / *fleet.clock_hz;
    if (lower > least_clock_loss)
      texts.push_back(fmt::format("clock {:.1f} % lower ({}, fleet {}): {} of the loss", 100 * lower,
                                  format_quantity(*node.clock_hz, "Hz"), format_quantity(*fleet.clock_hz, "Hz"),
                                  lower > loss / 2 ? "most" : "a part"));
  }
  if (node.temperature_c && fleet.temperature_c) {
    told = true;
    if (*node.temperature_c >= *fleet.temperature_c + least_heat_c)
      texts.push_back(fmt::format("{:.0f} degrees, fleet {:.0f}", *node.temperature_c, *fleet.temperature_c));
  }
  if (node.power_w && fleet.power_w) {
    told = true;
    const double change = *node.power_w / *fleet.power_w - 1;
    if (std::abs(change) >= least_power_change)
      texts.push_back(
          fmt::format("{}, fleet {}", format_quantity(*node.power_w, "W"), format_quantity(*fleet.power_w, "W")));
  }
  if (!texts.empty()) return fmt::format("{}", fmt::join(texts, "; "));
  return told ? "clock, power and temperature are the fleet's" : "no clock, power or temperature was read";
}

Sensors FleetBuilder::sensors_of(const FleetRead& read) const {
  return {as_told(read.clock_hz), as_told(read.power_w), as_told(read.temperature_c), limits_[read.limits]};
}

Sensors FleetBuilder::sensors_of(const FleetRow& group) const {
  Sensors sensors{median_told(group.read, &FleetRead::clock_hz), median_told(group.read, &FleetRead::power_w),
                  median_told(group.read, &FleetRead::temperature_c)};
  std::map<std::size_t, std::size_t> counts;
  for (const FleetRead& one : group.read) ++counts[one.limits];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  if (most != counts.end() && is_most(most->second, group.read.size())) sensors.clock_limits = limits_[most->first];
  return sensors;
}

std::optional<double> FleetBuilder::reference_of(const FleetMetric& metric) const {
  if (!options_.reference) return {};
  const NodeSummary& summary = *options_.reference;
  const SummaryRow* found = nullptr;
  for (const SummaryRow& row : summary.rows) {
    const SummaryDevice& device = summary.devices[row.device];
    if (row.name != metric.name || row.status != Status::ok || device.name != metric.device) continue;
    if (!found || device.id == metric.slot) found = &row;
  }
  return found ? found->value : std::nullopt;
}

void FleetBuilder::find(const FleetRow& group, std::size_t i, const Sensors& sensors, Finding finding) {
  const FleetMetric& metric = group.metric;
  const bool more_is_better = is_rate(metric.unit);
  finding.node = metric.nodes[i];
  finding.value = metric.figures[i].value;
  finding.loss = loss_of(*finding.value, *finding.against, more_is_better);
  finding.cause = cause_of(sensors_of(group.read[i]), sensors, *finding.loss);
  FleetNode& node = fleet_.nodes[finding.node];
  ++(finding.verdict == NodeVerdict::retest ? node.to_retest : node.flagged);
  node.worst_loss = std::max(node.worst_loss, *finding.loss);
  raise(node.verdict, finding.verdict);
  fleet_.findings.push_back(std::move(finding));
}

FleetBuilder::Changes FleetBuilder::changes_of(const FleetRow& group) {
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

void FleetBuilder::judge_more(Finding& finding, FindingBasis basis, NodeVerdict verdict, double against,
                              std::optional<double> scale) {
  if (finding.verdict == NodeVerdict::unjudged) finding.verdict = NodeVerdict::pass;
  if (verdict <= finding.verdict) return;
  finding.verdict = verdict;
  finding.basis = basis;
  finding.against = against;
  finding.scale = scale;
}

void FleetBuilder::judge_beside_earlier(const FleetRow& group, std::size_t i, const Changes& changes,
                                        Finding& finding) const {
  if (!changes.at[i]) return;
  const FleetMetric& metric = group.metric;
  const bool more_is_better = is_rate(metric.unit);
  const double then = group.earlier.at(metric.nodes[i]).value;
  judge_more(finding, FindingBasis::earlier,
             judge_by_reference(metric.figures[i], then, options_.tolerance, more_is_better), then);
  const NodeVerdict by_change = judge_by_fleet(changes.ratios[*changes.at[i]], changes.spread, more_is_better);
  if (by_change != NodeVerdict::unjudged)
    judge_more(finding, FindingBasis::earlier, by_change, then * changes.spread.median, changes.spread.scale);
}

void FleetBuilder::judge(std::size_t index_of_metric, FleetRow& group) {
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
    FleetNode& node = fleet_.nodes[metric.nodes[i]];
    Finding finding{.metric = index_of_metric,
                    .verdict = judge_by_fleet(metric.figures[i], metric.spread, more_is_better),
                    .against = metric.spread.median,
                    .scale = metric.spread.scale};
    if (metric.reference)
      judge_more(finding, FindingBasis::reference,
                 judge_by_reference(metric.figures[i], *metric.reference, options_.tolerance, more_is_better),
                 *metric.reference);
    judge_beside_earlier(group, i, changes, finding);
    ++(finding.verdict == NodeVerdict::unjudged ? node.unjudged : node.judged);
    if (finding.verdict == NodeVerdict::retest) ++metric.to_retest;
    if (finding.verdict == NodeVerdict::flagged) ++metric.flagged;
    if (finding.verdict == NodeVerdict::retest || finding.verdict == NodeVerdict::flagged)
      find(group, i, sensors, std::move(finding));
  }
}

void FleetBuilder::find_lost(std::size_t index_of_metric, FleetRow& group) {
  FleetMetric& metric = group.metric;
  const auto& owners = kinds_[{metric.slot, metric.device}];
  std::map<std::size_t, const LostFigure*> lost;
  for (const LostFigure& one : group.lost) lost.emplace(one.node, &one);
  const bool expected = metric.expected = is_most(metric.nodes.size(), owners.size());
  const std::set<std::size_t> have(metric.nodes.begin(), metric.nodes.end());
  for (const std::size_t owner : owners) {
    if (have.contains(owner)) continue;
    const auto found = lost.find(owner);
    const bool cut_off = found == lost.end() && left_out_.contains(owner);
    const bool is_error = !cut_off && (found == lost.end() || found->second->status == Status::error);
    const std::string why = found == lost.end()
                                ? "it has no such row"
                                : fmt::format("{}: {}", to_string(found->second->status), found->second->reason);
    const bool is_there = found != lost.end() && found->second->status != Status::unsupported;
    if (!expected && !metric.reference && !cut_off && !is_there) continue;  // most nodes do not have it either
    if (!expected || !is_error) {
      FleetNode& node = fleet_.nodes[owner];
      ++node.unjudged;
      if (found == lost.end()) continue;
      ++node.lost;
      if (expected) ++node.without_figure;
      ++why_lost_[owner][why];
      continue;
    }
    ++fleet_.nodes[owner].failed;
    raise(fleet_.nodes[owner].verdict, NodeVerdict::failed);
    fleet_.findings.push_back({.node = owner, .metric = index_of_metric, .verdict = NodeVerdict::failed, .cause = why});
  }
}

}  // namespace gable::campaign
