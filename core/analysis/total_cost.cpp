#include "core/analysis/total_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/analysis/geometric_mean.hpp"
#include "core/analysis/row_weights.hpp"
#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/measure/statistics.hpp"

namespace gable::analysis {
namespace {

constexpr auto bases = enum_names<PowerBasis>(
    {{PowerBasis::stated, "stated"}, {PowerBasis::measured, "measured"}, {PowerBasis::tdp, "tdp"}});
constexpr auto criteria = enum_names<Criterion>({{Criterion::per_cost, "performance_per_total_cost"},
                                                 {Criterion::within_power, "performance_within_power_budget"},
                                                 {Criterion::within_money, "performance_within_money_budget"}});
constexpr auto assumption_names = enum_names<Assumption>({{Assumption::price, "price"},
                                                          {Assumption::power, "power"},
                                                          {Assumption::tariff, "tariff"},
                                                          {Assumption::years, "years"},
                                                          {Assumption::pue, "pue"},
                                                          {Assumption::utilisation, "utilisation"},
                                                          {Assumption::weight, "weight"}});

struct Power {
  double watt{};
  PowerBasis basis{};
  std::size_t rows{};
};

/// Of the rows that count, each with its share; without such rows the median over all of the whole device's.
std::optional<Power> measured_power(const Subject& subject, std::size_t i, const std::vector<RowWeight>& weights) {
  double sum = 0, shares = 0;
  std::size_t rows = 0;
  for (const RowWeight& one : weights) {
    const auto& cell = one.row->cells[i];
    if (!cell || !cell->power_w) continue;
    sum += one.share * *cell->power_w;
    shares += one.share;
    ++rows;
  }
  if (rows > 0) return Power{sum / shares, PowerBasis::measured, rows};
  std::vector<double> all;
  const auto note = [&](const auto& quantities) {
    for (const auto& quantity : quantities) {
      if (const auto watt = power_of(quantity)) all.push_back(*watt);
    }
  };
  note(subject.points);
  note(subject.ceilings);
  if (all.empty()) return {};
  return Power{measure::median(all), PowerBasis::measured, all.size()};
}

std::optional<double> stated(const std::vector<std::optional<double>>& list, std::size_t i) {
  return list.empty() ? std::nullopt : list.at(i);
}

Power power_of(const Subject& subject, std::size_t i, const std::vector<RowWeight>& weights,
               const CostAssumptions& assumptions) {
  if (const auto watt = stated(assumptions.power_w, i)) return {*watt, PowerBasis::stated, 0};
  if (const auto measured = measured_power(subject, i, weights)) return *measured;
  if (subject.tdp_w) return {*subject.tdp_w, PowerBasis::tdp, 0};
  throw Error(
      fmt::format("no power of {} is known: none was read while it was measured, and the catalogue has no TDP "
                  "of it; --power states one",
                  subject.name));
}

/// Cost of a watt that is drawn all the time.
double cost_of_watt(const CostAssumptions& assumed) {
  return assumed.years * hours_of_year * assumed.pue * assumed.tariff_per_kwh / 1000;
}

double mean_power(const OwnedDevice& device, double utilisation) {
  return utilisation * device.power_w + (1 - utilisation) * device.idle_power_w;
}

OwnedDevice owned(const Power& power, std::size_t i, const CostAssumptions& assumed) {
  OwnedDevice device;
  device.power_w = power.watt;
  device.basis = power.basis;
  device.power_rows = power.rows;
  device.idle_power_w = stated(assumed.idle_power_w, i).value_or(0);
  device.capital = assumed.capital.at(i);
  const double mean_w = mean_power(device, assumed.utilisation);
  device.energy_kwh = assumed.years * hours_of_year * assumed.pue * mean_w / 1000;
  device.energy_cost = device.energy_kwh * assumed.tariff_per_kwh;
  device.total = device.capital + device.energy_cost;
  return device;
}

Ratio scaled(Ratio ratio, double factor) {
  ratio.value *= factor;
  if (ratio.low) *ratio.low *= factor;
  if (ratio.high) *ratio.high *= factor;
  return ratio;
}

/// How many times as fast b is as a over the weighted rows.
Ratio performance(const std::vector<RowWeight>& weights, std::size_t a, std::size_t b) {
  if (a == b) return {1, 1, 1, true};
  GeometricMean mean;
  for (const RowWeight& one : weights)
    mean.add(ratio_of(one.row->cells[a]->figure, one.row->cells[b]->figure), one.share);
  return mean.get();
}

/// What one device takes of that by which sides are ranked: money, or power of the facility.
double taken(const OwnedDevice& device, const TotalCost& answer) {
  return answer.criterion == Criterion::within_power ? device.power_w * answer.assumptions.pue : device.total;
}

/// alpha + beta x: what a device takes, as a function of one assumption.
struct Line {
  double alpha{}, beta{};
};

Line line_of(const OwnedDevice& device, Assumption assumption, bool its_own, const TotalCost& answer) {
  const CostAssumptions& assumed = answer.assumptions;
  const double now = taken(device, answer);
  if (answer.criterion == Criterion::within_power)
    return assumption == Assumption::power && its_own ? Line{0, assumed.pue} : Line{now, 0};
  const double watt = cost_of_watt(assumed), u = assumed.utilisation;
  switch (assumption) {
    case Assumption::price:
      return its_own ? Line{device.energy_cost, 1} : Line{now, 0};
    case Assumption::power:
      return its_own ? Line{device.capital + watt * (1 - u) * device.idle_power_w, watt * u} : Line{now, 0};
    case Assumption::tariff:
      return {device.capital, device.energy_kwh};
    case Assumption::years:
      return {device.capital, device.energy_cost / assumed.years};
    case Assumption::pue:
      return {device.capital, device.energy_cost / assumed.pue};
    case Assumption::utilisation:
      return {device.capital + watt * device.idle_power_w, watt * (device.power_w - device.idle_power_w)};
    case Assumption::weight:
      break;
  }
  return {now, 0};
}

bool possible(Assumption assumption, double value) {
  if (!std::isfinite(value)) return false;
  switch (assumption) {
    case Assumption::price:
    case Assumption::tariff:
    case Assumption::weight:
      return value >= 0 && (assumption != Assumption::weight || value <= 1);
    case Assumption::power:
    case Assumption::years:
      return value > 0;
    case Assumption::pue:
      return value >= 1;
    case Assumption::utilisation:
      return value > 0 && value <= 1;
  }
  return false;
}

/// The nearest of the values at which rivals come level, by the factor from the present one.
void take_nearer(BreakEven& best, double at, std::size_t to) {
  if (!possible(best.assumption, at)) return;
  const auto distance = [&](double value) {
    return best.now > 0 && value > 0 ? std::abs(std::log(value / best.now)) : std::abs(value - best.now) + 1e3;
  };
  if (best.at && distance(*best.at) <= distance(at)) return;
  best.at = at;
  best.to = to;
}

/// The rivals that the best side is truly before, and how much.
struct Race {
  const TotalCost& answer;
  const std::vector<RowWeight>& weights;
  std::size_t best;
  std::vector<std::size_t> rivals;
};

/// Where speed of the best / what it takes = speed of the rival / what that takes, both taking alpha + beta x.
BreakEven turn(const Race& race, Assumption assumption, std::optional<std::size_t> subject, double now) {
  BreakEven answer{assumption, subject, "", now, {}, {}};
  for (const std::size_t rival : race.rivals) {
    const double faster = performance(race.weights, rival, race.best).value;
    const auto line = [&](std::size_t i) {
      return line_of(race.answer.devices[i], assumption, subject == i, race.answer);
    };
    const Line of_best = line(race.best), of_rival = line(rival);
    const double slope = faster * of_rival.beta - of_best.beta;
    if (slope != 0) take_nearer(answer, (of_best.alpha - faster * of_rival.alpha) / slope, rival);
  }
  return answer;
}

/// The share of the name with the largest part of the weights; the others keep their proportions.
std::optional<BreakEven> turn_of_weights(const Race& race) {
  std::map<std::string, double> shares;
  for (const RowWeight& one : race.weights) shares[one.name] += one.share;
  if (shares.size() < 2) return {};
  const auto largest = std::ranges::max_element(shares, {}, [](const auto& entry) { return entry.second; });
  BreakEven answer{Assumption::weight, {}, largest->first, largest->second, {}, {}};
  for (const std::size_t rival : race.rivals) {
    GeometricMean of_name, of_rest;
    for (const RowWeight& one : race.weights) {
      const Ratio ratio = ratio_of(one.row->cells[rival]->figure, one.row->cells[race.best]->figure);
      (one.name == largest->first ? of_name : of_rest).add(ratio, one.share);
    }
    const double name = std::log(of_name.get().value), rest = std::log(of_rest.get().value);
    const double level =
        std::log(taken(race.answer.devices[race.best], race.answer) / taken(race.answer.devices[rival], race.answer));
    if (name != rest) take_nearer(answer, (level - rest) / (name - rest), rival);
  }
  return answer;
}

std::vector<BreakEven> break_evens(const Race& race) {
  const TotalCost& answer = race.answer;
  std::vector<BreakEven> all;
  std::vector<std::size_t> sides{race.best};
  sides.insert(sides.end(), race.rivals.begin(), race.rivals.end());
  std::ranges::sort(sides);
  const bool money = answer.criterion != Criterion::within_power;
  if (money) {
    for (const std::size_t i : sides) all.push_back(turn(race, Assumption::price, i, answer.devices[i].capital));
  }
  for (const std::size_t i : sides) all.push_back(turn(race, Assumption::power, i, answer.devices[i].power_w));
  if (money) {
    const CostAssumptions& assumed = answer.assumptions;
    all.push_back(turn(race, Assumption::tariff, {}, assumed.tariff_per_kwh));
    all.push_back(turn(race, Assumption::years, {}, assumed.years));
    all.push_back(turn(race, Assumption::pue, {}, assumed.pue));
    all.push_back(turn(race, Assumption::utilisation, {}, assumed.utilisation));
  }
  if (auto weight = turn_of_weights(race)) all.push_back(std::move(*weight));
  return all;
}

/// What a side is ranked by: performance per what it takes, or of all whole devices.
double rank(const OwnedDevice& device, const TotalCost& answer) {
  if (!device.performance) return 0;
  return device.whole ? device.whole->value : device.performance->value / taken(device, answer);
}

void decide(TotalCost& answer, const std::vector<RowWeight>& weights) {
  const auto ranked = [&](const OwnedDevice& device) { return rank(device, answer); };
  const auto best = std::ranges::max_element(answer.devices, {}, ranked);
  const std::size_t winner = static_cast<std::size_t>(best - answer.devices.begin());
  Race race{answer, weights, winner, {}};
  for (std::size_t i = 0; i < answer.devices.size(); ++i) {
    const OwnedDevice& other = answer.devices[i];
    if (i == winner || !other.performance) continue;
    const Ratio faster = performance(weights, i, winner);
    const double unrounded = faster.value * taken(other, answer) / taken(*best, answer);
    Lead lead{i, {}, unrounded < 1};
    if (!best->devices)
      lead.ratio = scaled(faster, taken(other, answer) / taken(*best, answer));
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

std::string_view to_string(PowerBasis basis) { return bases.name(basis); }
std::string_view to_string(Criterion criterion) { return criteria.name(criterion); }
std::string_view to_string(Assumption assumption) { return assumption_names.name(assumption); }

TotalCost total_cost(const Compared& compared, const CostAssumptions& assumptions) {
  TotalCost answer;
  answer.assumptions = assumptions;
  if (assumptions.power_budget_w) answer.criterion = Criterion::within_power;
  if (assumptions.money_budget) answer.criterion = Criterion::within_money;
  std::vector<bool> measured;
  const std::vector<RowWeight> weights = weights_of(compared, measured);
  answer.rows = weights.size();
  const auto budget = assumptions.power_budget_w ? assumptions.power_budget_w : assumptions.money_budget;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    OwnedDevice device = owned(power_of(compared.subjects[i], i, weights, assumptions), i, assumptions);
    if (budget) device.devices = std::floor(*budget / taken(device, answer));
    if (!weights.empty() && measured[i]) device.performance = performance(weights, 0, i);
    if (device.performance) {
      const OwnedDevice& baseline = i == 0 ? device : answer.devices.front();
      device.per_cost = scaled(*device.performance, baseline.total / device.total);
      device.per_watt = scaled(*device.performance, baseline.power_w / device.power_w);
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
