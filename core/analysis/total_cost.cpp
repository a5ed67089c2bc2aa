#include "core/analysis/total_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/analysis/row_weights.hpp"
#include "core/error.hpp"

namespace gable::analysis {
namespace {

Ratio scaled(Ratio ratio, double factor) {
  ratio.value *= factor;
  if (ratio.low) *ratio.low *= factor;
  if (ratio.high) *ratio.high *= factor;
  return ratio;
}

/// What a side is ranked by: performance per what it takes, or of all whole devices.
double rank(const OwnedDevice& device, const TotalCost& answer) {
  if (!device.performance) return 0;
  return device.whole ? device.whole->value : device.performance->value / taken(device, answer.assumptions);
}

void decide(TotalCost& answer, const std::vector<RowWeight>& weights) {
  const auto ranked = [&](const OwnedDevice& device) { return rank(device, answer); };
  const auto best = std::ranges::max_element(answer.devices, {}, ranked);
  const std::size_t winner = static_cast<std::size_t>(best - answer.devices.begin());
  Race race{answer.assumptions, answer.devices, weights, winner, {}};
  for (std::size_t i = 0; i < answer.devices.size(); ++i) {
    const OwnedDevice& other = answer.devices[i];
    if (i == winner || !other.performance) continue;
    const Ratio faster = performance(weights, i, winner);
    const double unrounded = faster.value * taken(other, answer.assumptions) / taken(*best, answer.assumptions);
    Lead lead{i, {}, unrounded < 1};
    if (!best->devices)
      lead.ratio = scaled(faster, taken(other, answer.assumptions) / taken(*best, answer.assumptions));
    else if (*other.devices > 0)
      lead.ratio = scaled(faster, *best->devices / *other.devices);
    answer.leads.push_back(lead);
    if (!lead.by_rounding) race.rivals.push_back(i);
  }
  if (answer.leads.empty()) return;
  answer.best = winner;
  if (!race.rivals.empty()) answer.break_evens = break_evens(race);
}

/// Rows that the performance is of: those that every side with operators has, like the baseline's.
std::vector<RowWeight> weights_of(const Compared& compared, std::vector<bool>& measured) {
  std::vector<std::size_t> sides;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    measured.push_back(!compared.subjects[i].points.empty());
    if (measured.back()) sides.push_back(i);
  }
  if (sides.size() < 2 || sides.front() != 0) return {};
  const auto weights = row_weights(rows_of_all(compared.answer.operators, sides), compared.options);
  for (const NamedWeight& named : compared.options.weights) {
    if (std::ranges::none_of(weights, [&](const RowWeight& one) { return one.name == named.name; }))
      throw Error(fmt::format("--weights: no row of '{}' is on all measured sides in the same sizes", named.name));
  }
  return weights;
}

}  // namespace

TotalCost total_cost(const Compared& compared, const CostAssumptions& assumptions) {
  TotalCost answer;
  answer.assumptions = assumptions;
  answer.criterion = criterion_of(assumptions);
  std::vector<bool> measured;
  const std::vector<RowWeight> weights = weights_of(compared, measured);
  answer.rows = weights.size();
  const auto budget = assumptions.power_budget_w ? assumptions.power_budget_w : assumptions.money_budget;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const auto stated = assumptions.power_w.empty() ? std::nullopt : assumptions.power_w.at(i);
    OwnedDevice device = owned_device(device_power(compared.subjects[i], i, weights, stated), i, assumptions);
    if (budget) device.devices = std::floor(*budget / taken(device, answer.assumptions));
    if (!weights.empty() && measured[i]) device.performance = performance(weights, 0, i);
    if (device.performance) {
      const OwnedDevice& baseline = i == 0 ? device : answer.devices.front();
      device.per_cost = scaled(*device.performance, baseline.total / device.total);
      device.per_watt = scaled(*device.performance, baseline.power.watt / device.power.watt);
      if (device.devices) device.whole = scaled(*device.performance, *device.devices);
    }
    answer.devices.push_back(std::move(device));
  }
  if (budget && std::ranges::all_of(answer.devices, [](const OwnedDevice& one) { return *one.devices == 0; }))
    throw Error("the budget pays for no device of any side");
  if (!weights.empty()) decide(answer, weights);
  return answer;
}

}  // namespace gable::analysis
