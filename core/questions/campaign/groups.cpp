#include "core/questions/campaign/groups.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"

namespace gable::campaign {
namespace {

constexpr double normal_of_mad = 1.4826, error_of_median = 1.2533, least_sigma = 0.001;

/// Median of the sorted figures but those at `skipped`, which are sorted, too.
double median_without(const std::vector<double>& sorted, const std::vector<std::size_t>& skipped) {
  const std::size_t left = sorted.size() - skipped.size();
  const auto at = [&](std::size_t rank) {
    for (const std::size_t place : skipped) {
      if (place > rank) break;
      ++rank;
    }
    return sorted[rank];
  };
  return left % 2 == 1 ? at(left / 2) : (at(left / 2 - 1) + at(left / 2)) / 2;
}

void add_medians(FleetGroups& groups, std::vector<GroupMedian> medians, std::size_t metric) {
  for (GroupMedian& one : medians) {
    one.metric = metric;
    if (one.slow) {
      FleetGroup& group = groups.groups[one.group];
      ++group.slow_rows;
      group.worst_loss = std::max(group.worst_loss, *one.loss);
    }
    groups.medians.push_back(one);
  }
}

/// Slow groups first.
void sort_groups(FleetGroups& groups) {
  std::vector<std::size_t> order(groups.groups.size()), place(groups.groups.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) {
    return std::pair(groups.groups[i].slow_rows, groups.groups[i].worst_loss);
  });
  std::vector<FleetGroup> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(groups.groups[order[i]]));
  }
  groups.groups = std::move(sorted);
  for (GroupMedian& one : groups.medians) one.group = place[one.group];
  std::ranges::stable_sort(groups.medians, [](const GroupMedian& a, const GroupMedian& b) {
    return std::tuple(a.group, !a.slow, -a.loss.value_or(0)) < std::tuple(b.group, !b.slow, -b.loss.value_or(0));
  });
}

}  // namespace

std::vector<GroupMedian> judge_groups(std::span<const double> figures, std::span<const std::size_t> group_of,
                                      std::size_t groups, bool higher_is_better) {
  std::vector<std::size_t> order(figures.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, std::less<>{}, [&](std::size_t i) { return figures[i]; });
  std::vector<double> sorted;
  std::vector<std::vector<std::size_t>> places(groups);  // of each group among the sorted
  for (std::size_t place = 0; place < order.size(); ++place) {
    sorted.push_back(figures[order[place]]);
    places[group_of[order[place]]].push_back(place);
  }
  std::vector<double> own(groups), deviations;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto& at = places[group];
    if (at.empty()) continue;
    own[group] = (sorted[at[(at.size() - 1) / 2]] + sorted[at[at.size() / 2]]) / 2;
  }
  for (std::size_t i = 0; i < figures.size(); ++i) deviations.push_back(std::abs(figures[i] / own[group_of[i]] - 1));
  if (deviations.empty()) return {};
  const double sigma = std::max(normal_of_mad * measure::median(deviations), least_sigma);
  std::vector<GroupMedian> medians;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t count = places[group].size(), others = figures.size() - count;
    if (count == 0) continue;
    GroupMedian one{.group = group, .nodes = count, .median = own[group]};
    if (others > 0) {
      one.others = median_without(sorted, places[group]);
      one.loss = loss_of(one.median, *one.others, higher_is_better);
      const double error =
          error_of_median * sigma * std::sqrt(1 / static_cast<double>(count) + 1 / static_cast<double>(others));
      one.slow = count >= least_in_group && others >= least_others && *one.loss >= group_loss &&
                 *one.loss > group_scales * error;
    }
    medians.push_back(one);
  }
  return medians;
}

FleetGroups group_nodes(const Fleet& fleet, const std::string& by, const std::map<std::string, std::string>& group_of) {
  FleetGroups groups{.by = by};
  std::map<std::string, std::size_t> known;
  std::vector<std::optional<std::size_t>> of_node(fleet.nodes.size());
  for (const auto& [node, name] : group_of) known.try_emplace(name, 0);
  for (auto& [name, index] : known) {
    index = groups.groups.size();
    groups.groups.push_back({.name = name});
  }
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const auto found = group_of.find(fleet.nodes[i].name);
    if (found == group_of.end()) {
      ++groups.in_none;
      continue;
    }
    of_node[i] = known.at(found->second);
    FleetGroup& group = groups.groups[*of_node[i]];
    group.nodes.push_back(i);
    if (fleet.nodes[i].verdict >= NodeVerdict::retest) ++group.not_passing;
  }
  for (std::size_t m = 0; m < fleet.metrics.size(); ++m) {
    const FleetMetric& metric = fleet.metrics[m];
    std::vector<double> figures;
    std::vector<std::size_t> of_figure;
    for (std::size_t i = 0; i < metric.nodes.size(); ++i) {
      if (!of_node[metric.nodes[i]]) continue;
      figures.push_back(metric.figures[i].value);
      of_figure.push_back(*of_node[metric.nodes[i]]);
    }
    add_medians(groups, judge_groups(figures, of_figure, groups.groups.size(), is_rate(metric.unit)), m);
  }
  sort_groups(groups);
  return groups;
}

FleetGroups group_slots(const Fleet& fleet) {
  FleetGroups groups{.by = "slot", .of_slots = true};
  std::map<std::string, std::size_t> known;
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> quantities;  // name and device: metrics
  for (std::size_t m = 0; m < fleet.metrics.size(); ++m) {
    const FleetMetric& metric = fleet.metrics[m];
    if (known.try_emplace(metric.slot, groups.groups.size()).second) groups.groups.push_back({.name = metric.slot});
    quantities[{metric.name, metric.device}].push_back(m);
  }
  for (const auto& [quantity, metrics] : quantities) {
    std::vector<double> figures;
    std::vector<std::size_t> of_figure;
    for (const std::size_t m : metrics) {
      for (const FleetFigure& figure : fleet.metrics[m].figures) {
        figures.push_back(figure.value);
        of_figure.push_back(known.at(fleet.metrics[m].slot));
      }
    }
    add_medians(groups, judge_groups(figures, of_figure, groups.groups.size(), is_rate(fleet.metrics[metrics[0]].unit)),
                metrics[0]);
  }
  sort_groups(groups);
  return groups;
}

}  // namespace gable::campaign
