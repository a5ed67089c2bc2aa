#include "core/questions/compare/total_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/questions/compare/row_weights.hpp"

namespace gable::questions {
namespace {

constexpr auto reasons = enum_names<Undecided>({{Undecided::baseline_unmeasured, "baseline_unmeasured"},
                                                {Undecided::one_measured, "one_measured"},
                                                {Undecided::nothing_shared, "nothing_shared"},
                                                {Undecided::narrow_scope, "narrow_scope"},
                                                {Undecided::budget, "budget"}});

bool has_operators(const Subject& subject) { return !subject.points.empty(); }

Ratio scaled(Ratio ratio, double factor) {
  ratio.value *= factor;
  if (ratio.low) *ratio.low *= factor;
  if (ratio.high) *ratio.high *= factor;
  return ratio;
}

/// Performance per cost (or per watt); with a budget, the performance of all devices that fit it.
double rank(const OwnedDevice& device, const TotalCost& answer) {
  if (!device.performance) return 0;
  return device.whole ? device.whole->value : device.performance->value / taken(device, answer.assumptions);
}

void decide(TotalCost& answer, const std::vector<RowWeight>& weights) {
  const auto ranked = [&](const OwnedDevice& device) { return rank(device, answer); };
  const auto best = std::ranges::max_element(answer.devices, {}, ranked);
  if (!(rank(*best, answer) > 0)) {
    answer.undecided = Undecided::budget;
    return;
  }
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
  answer.best = winner;
  if (!race.rivals.empty()) answer.break_evens = break_evens(race);
}

/// Rows that the performance is of: those that every subject with operators has, like the baseline's; if none, why.
std::vector<RowWeight> weights_of(const Compared& compared, TotalCost& answer) {
  std::vector<std::size_t> subjects;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    if (has_operators(compared.subjects[i])) subjects.push_back(i);
  }
  const auto none = [&](Undecided why) {
    answer.undecided = why;
    return std::vector<RowWeight>{};
  };
  if (!has_operators(compared.subjects.front())) return none(Undecided::baseline_unmeasured);
  if (subjects.size() < 2) return none(Undecided::one_measured);
  const auto rows = rows_of_all(compared.answer.operators, subjects);
  if (!rows.empty() && rows.front()->key.scope != Scope::node) return none(Undecided::narrow_scope);
  auto weights = row_weights(rows, compared.options);
  for (const NamedWeight& named : compared.options.weights) {
    if (std::ranges::none_of(weights, [&](const RowWeight& one) { return one.name == named.name; }))
      throw Error(fmt::format("--weights: no row of '{}' is on all measured subjects in the same sizes", named.name));
  }
  return weights.empty() ? none(Undecided::nothing_shared) : weights;
}

std::size_t above_roof(const std::vector<RowWeight>& weights) {
  const auto above = [](const std::optional<OperatorCell>& cell) {
    return cell && cell->verdict.stands() && cell->verdict.standing == Standing::above_roof;
  };
  return static_cast<std::size_t>(
      std::ranges::count_if(weights, [&](const RowWeight& one) { return std::ranges::any_of(one.row->cells, above); }));
}

/// Throws Error for a device whose figures contradict each other.
void check(const OwnedDevice& device, const Subject& subject) {
  if (device.idle_power_w > device.power.watt)
    throw Error(fmt::format("the idle power of {}, {:.4g} W, is above its power under load, {:.4g} W", subject.name,
                            device.idle_power_w, device.power.watt));
  if (!(device.total > 0 && std::isfinite(device.total)))
    throw Error(fmt::format("the total cost of {} is {:.4g}, which is no positive number", subject.name, device.total));
}

/// Whole devices; a quotient that misses a whole number by rounding alone counts as that number.
double whole_devices(double budget, double each) { return std::floor(budget / each * (1 + 1e-9)); }

}  // namespace

std::string_view to_string(Undecided reason) { return reasons.name(reason); }

bool Lead::decided() const {
  if (!ratio) return true;
  const auto difference = ratio->difference();
  return difference && *difference != Difference::within_noise;
}

TotalCost total_cost(const Compared& compared, const CostAssumptions& assumptions) {
  TotalCost answer;
  answer.assumptions = assumptions;
  answer.criterion = criterion_of(assumptions);
  const std::vector<RowWeight> weights = weights_of(compared, answer);
  answer.rows = weights.size();
  answer.rows_above_roof = above_roof(weights);
  const auto budget = assumptions.power_budget_w ? assumptions.power_budget_w : assumptions.money_budget;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const auto stated = assumptions.power_w.empty() ? std::nullopt : assumptions.power_w.at(i);
    OwnedDevice device = owned_device(device_power(compared.subjects[i], i, weights, stated), i, assumptions);
    check(device, compared.subjects[i]);
    if (budget) device.devices = whole_devices(*budget, taken(device, answer.assumptions));
    if (!weights.empty() && has_operators(compared.subjects[i])) device.performance = performance(weights, 0, i);
    if (device.performance) {
      const OwnedDevice& baseline = i == 0 ? device : answer.devices.front();
      device.per_cost = scaled(*device.performance, baseline.total / device.total);
      device.per_watt = scaled(*device.performance, baseline.power.watt / device.power.watt);
      if (device.devices) device.whole = scaled(*device.performance, *device.devices);
    }
    answer.devices.push_back(std::move(device));
  }
  if (budget && std::ranges::all_of(answer.devices, [](const OwnedDevice& one) { return *one.devices == 0; }))
    throw Error("the budget pays for no device of any subject");
  if (!weights.empty()) decide(answer, weights);
  return answer;
}

}  // namespace gable::questions
