#include "core/questions/compare/total_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/questions/predict/prediction.hpp"

namespace gable::questions {
namespace {

DevicePower over(const std::vector<double>& readings, double watt, PowerBasis basis, std::size_t of_rows) {
  return {watt, basis, {}, readings.size(), of_rows, std::ranges::min(readings), std::ranges::max(readings)};
}

/// Of the rows that count, each with its share; without such rows the median over all rows that work the device.
std::optional<DevicePower> measured_power(const Subject& subject, std::size_t i,
                                          const std::vector<RowWeight>& weights) {
  std::vector<double> readings;
  if (const auto mean = weighted_power(i, weights)) {
    for (const RowWeight& one : weights) {
      if (one.row->cells[i] && one.row->cells[i]->power_w) readings.push_back(*one.row->cells[i]->power_w);
    }
    return over(readings, *mean, PowerBasis::measured, weights.size());
  }
  std::size_t rows = 0;
  const auto note = [&](const auto& quantity) {
    ++rows;
    if (const auto watt = power_of(quantity)) readings.push_back(*watt);
  };
  std::ranges::for_each(subject.points, [&](const PointQuantity& one) {
    if (!one.figure.bound) note(one);
  });
  for (const CeilingQuantity& ceiling : subject.ceilings) {
    const CeilingKind kind = ceiling.key.kind;
    if (kind == CeilingKind::compute || kind == CeilingKind::bandwidth) note(ceiling);
  }
  if (readings.empty()) return {};
  return over(readings, measure::median(readings), PowerBasis::other_rows, rows);
}

/// What is stated, else what was measured, else the TDP of the product or the power cap, whichever is less. Throws
/// Error where there is none.
DevicePower device_power(const Subject& subject, std::size_t i, const std::vector<RowWeight>& weights,
                         std::optional<double> stated) {
  if (stated) return {*stated, PowerBasis::stated};
  if (auto measured = measured_power(subject, i, weights)) {
    measured->meter = is_cpu(subject.device) ? PowerMeter::packages : PowerMeter::board;
    return *measured;
  }
  if (!subject.tdp_w)
    throw Error(
        fmt::format("no power of {} is known: none was read while it was measured, and the catalogue has no TDP "
                    "of it; --power states one",
                    subject.name));
  double cap = 0;  // of all packages together; of several runs the highest
  for (const Run& run : subject.runs) cap = std::max(cap, power_cap_w(run.facts).value_or(0));
  if (cap > 0 && cap < *subject.tdp_w) return {cap, PowerBasis::power_cap, PowerMeter::vendor};
  return {*subject.tdp_w, PowerBasis::tdp, PowerMeter::vendor};
}

bool has_operators(const Subject& subject) { return !subject.points.empty(); }

/// Not one whose memory does not hold the work.
bool is_ranked(const Subject& subject) { return has_operators(subject) && !subject.misfit; }

/// Performance per cost (or per watt); with a budget, the performance of all devices that fit it.
double rank(const OwnedDevice& device, const TotalCost& answer) {
  if (!device.performance) return 0;
  return device.whole ? device.whole->value : device.performance->value / taken(device, answer.assumptions);
}

void decide(TotalCost& answer, const std::vector<RowWeight>& weights, bool by_bounds) {
  const auto ranked = [&](const OwnedDevice& device) { return rank(device, answer); };
  const auto best = std::ranges::max_element(answer.devices, {}, ranked);
  if (!(rank(*best, answer) > 0)) {
    const auto ranks = [](const OwnedDevice& device) { return device.performance.has_value(); };
    answer.undecided = std::ranges::any_of(answer.devices, ranks) ? Undecided::budget : Undecided::too_small;
    return;
  }
  const std::size_t winner = static_cast<std::size_t>(best - answer.devices.begin());
  Race race{answer.assumptions, answer.devices, weights, winner, {}, by_bounds};
  for (std::size_t i = 0; i < answer.devices.size(); ++i) {
    const OwnedDevice& other = answer.devices[i];
    if (i == winner || !other.performance) continue;
    const Ratio faster = performance(weights, i, winner);
    const double unrounded = faster.value * taken(other, answer.assumptions) / taken(*best, answer.assumptions);
    Lead lead{i, {}, unrounded < 1};
    if (!best->devices)
      lead.ratio = faster.times(taken(other, answer.assumptions) / taken(*best, answer.assumptions));
    else if (*other.devices > 0)
      lead.ratio = faster.times(*best->devices / *other.devices);
    answer.leads.push_back(lead);
    if (!lead.by_rounding && lead.state() != LeadState::level) race.rivals.push_back(i);
  }
  answer.best = winner;
  if (!race.rivals.empty()) answer.break_evens = break_evens(race);
}

/// Rows that the performance is of: those that every subject with operators has, like the baseline's; if none, why.
std::vector<RowWeight> weights_of(const Compared& compared, TotalCost& answer) {
  const auto subjects = with_operators(compared.subjects);
  std::set<std::string> all, counted;
  for (const Subject& subject : compared.subjects) all.merge(operators_of(subject, compared.options.dtypes));
  answer.of_operators = all.size();
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
      throw Error(fmt::format("weights: no row of '{}' is on all measured subjects in the same sizes", named.name));
  }
  for (const RowWeight& one : weights) counted.insert(one.row->key.op);
  answer.operators = counted.size();
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

std::optional<double> weighted_power(std::size_t i, const std::vector<RowWeight>& weights) {
  double sum = 0, shares = 0;
  for (const RowWeight& one : weights) {
    const auto& cell = one.row->cells[i];
    if (!cell || !cell->power_w) continue;
    sum += one.share * *cell->power_w;
    shares += one.share;
  }
  return shares > 0 ? std::optional{sum / shares} : std::nullopt;
}

Criterion criterion_of(const CostAssumptions& assumed) {
  if (assumed.money_budget) return Criterion::within_money;
  if (assumed.power_budget_w) return Criterion::within_power;
  if (assumed.rented) return Criterion::per_rent;
  return assumed.capital.empty() ? Criterion::performance : Criterion::per_cost;
}

double cost_of_watt(const CostAssumptions& assumed) {
  return assumed.years * hours_of_year * assumed.pue * assumed.tariff_per_kwh / 1000;
}

OwnedDevice owned_device(const DevicePower& power, std::size_t i, const CostAssumptions& assumed) {
  OwnedDevice device;
  device.power = power;
  if (!assumed.idle_power_w.empty()) device.idle_power_w = assumed.idle_power_w.at(i).value_or(0);
  device.capital = assumed.capital.at(i);
  const double u = assumed.utilisation, mean_w = u * power.watt + (1 - u) * device.idle_power_w;
  device.energy_kwh = assumed.years * hours_of_year * assumed.pue * mean_w / 1000;
  device.energy_cost = device.energy_kwh * assumed.tariff_per_kwh;
  device.total = device.capital + device.energy_cost;
  return device;
}

double taken(const OwnedDevice& device, const CostAssumptions& assumed) {
  return criterion_of(assumed) == Criterion::within_power ? device.power.watt * assumed.pue : device.total;
}

LeadState Lead::state() const {
  if (!ratio) return LeadState::ahead;
  if (!ratio->like) return LeadState::unlike;
  if (ratio->stated())
    return std::abs(std::log(ratio->value)) > std::log1p(level_part) ? LeadState::ahead : LeadState::level;
  const auto difference = ratio->difference();
  if (!difference) return LeadState::no_interval;
  return *difference == Difference::within_noise ? LeadState::within_noise : LeadState::ahead;
}

TotalCost total_cost(const Compared& compared, const CostAssumptions& assumptions) {
  TotalCost answer;
  answer.assumptions = assumptions;
  answer.criterion = criterion_of(assumptions);
  const std::vector<RowWeight> weights = weights_of(compared, answer);
  answer.rows = weights.size();
  answer.summed = compared.options.summed;
  const auto first = std::ranges::find_if(compared.subjects, is_ranked);
  if (first != compared.subjects.end()) answer.baseline = static_cast<std::size_t>(first - compared.subjects.begin());
  answer.rows_above_roof = above_roof(weights);
  const auto budget = assumptions.power_budget_w ? assumptions.power_budget_w : assumptions.money_budget;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    OwnedDevice device;
    if (is_owned(answer.criterion)) {
      const auto stated = assumptions.power_w.empty() ? std::nullopt : assumptions.power_w.at(i);
      device = owned_device(device_power(compared.subjects[i], i, weights, stated), i, assumptions);
      check(device, compared.subjects[i]);
    } else {
      // without prices each takes one share of what performance alone is divided by
      device.capital = device.total = assumptions.rented ? *compared.options.prices[i] : 1;
    }
    if (budget) device.devices = whole_devices(*budget, taken(device, answer.assumptions));
    if (!weights.empty() && is_ranked(compared.subjects[i]))
      device.performance = performance(weights, answer.baseline, i);
    if (device.performance && is_owned(answer.criterion)) {
      const OwnedDevice& baseline = i == answer.baseline ? device : answer.devices[answer.baseline];
      device.per_cost = device.performance->times(baseline.total / device.total);
      device.per_watt = device.performance->times(baseline.power.watt / device.power.watt);
      if (device.devices) device.whole = device.performance->times(*device.devices);
    }
    answer.devices.push_back(std::move(device));
  }
  if (budget && std::ranges::all_of(answer.devices, [](const OwnedDevice& one) { return *one.devices == 0; }))
    throw Error("the budget pays for no device of any subject");
  if (!weights.empty()) decide(answer, weights, compared.bounds.has_value());
  return answer;
}

bool are_rented(const CompareOptions& options) {
  const auto has_value = [](const std::optional<double>& price) { return price.has_value(); };
  return !options.prices.empty() && std::ranges::all_of(options.prices, has_value);
}

TotalCost ranking(const Compared& compared) {
  return total_cost(compared, {.currency = compared.options.currency, .rented = are_rented(compared.options)});
}

}  // namespace gable::questions
