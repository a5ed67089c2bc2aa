#include "core/questions/compare/total_cost.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// alpha + beta x: what a device takes, as a function of one assumption.
struct LinearCost {
  double alpha{}, beta{};
};

LinearCost line_of(const OwnedDevice& device, Assumption assumption, bool its_own, const CostAssumptions& assumed) {
  using enum Assumption;
  const LinearCost constant{taken(device, assumed), 0};
  const double watt = cost_of_watt(assumed), u = assumed.utilisation;
  const double load = device.power.watt, idle = device.idle_power_w;
  if (criterion_of(assumed) == Criterion::within_power)
    return assumption == power && its_own ? LinearCost{0, assumed.pue} : constant;
  if (assumption == tariff) return {device.capital, device.energy_kwh};
  if (assumption == years) return {device.capital, device.energy_cost / assumed.years};
  if (assumption == pue) return {device.capital, device.energy_cost / assumed.pue};
  if (assumption == utilisation) return {device.capital + watt * idle, watt * (load - idle)};
  if (!its_own) return constant;
  if (assumption == price) return {device.energy_cost, 1};
  if (assumption == power) return {device.capital + watt * (1 - u) * idle, watt * u};
  if (assumption == idle_power) return {device.capital + watt * u * load, watt * (1 - u)};
  return constant;
}

/// What an assumption can be, whatever its option takes. An idle power never exceeds the load power.
Limits limits_of(const Race& race, const BreakEven& one) {
  using enum Assumption;
  const OwnedDevice& device = race.devices[one.subject.value_or(race.best)];
  constexpr double most = std::numeric_limits<double>::max();
  if (one.assumption == power) return {device.idle_power_w, most};
  if (one.assumption == idle_power) return {0, device.power.watt};
  if (one.assumption == pue) return {pue_limits.least, most};
  const bool part = one.assumption == utilisation || one.assumption == weight || one.assumption == efficiency;
  return {0, part ? 1 : most};
}

/// The nearest of the values at which rivals come level, by the factor from the present one.
void take_nearer(const Race& race, BreakEven& best, double at, std::size_t to) {
  if (!limits_of(race, best).hold(at)) return;                                         // false for NaN, too
  if (best.assumption == Assumption::weight && !(1e-9 < at && at < 1 - 1e-9)) return;  // none is beyond
  const auto distance = [&](double value) {
    return best.now > 0 && value > 0 ? std::abs(std::log(value / best.now)) : std::abs(value - best.now) + 1e3;
  };
  if (best.at && distance(*best.at) <= distance(at)) return;
  best.at = at;
  best.to = to;
}

/// How many times as fast as a rival the best subject has to be.
BreakEven turn_of_performance(const Race& race, std::size_t rival) {
  const Ratio now = performance(race.weights, rival, race.best);
  const double level = taken(race.devices[race.best], race.assumed) / taken(race.devices[rival], race.assumed);
  BreakEven answer{Assumption::performance, race.best, "", now.value, level, rival};
  answer.within_interval = now.low && now.high && *now.low <= level && level <= *now.high;
  return answer;
}

/// The part of its bounds that a subject is taken to reach, on the mean of the rows or in all of its time.
double part_of_bounds(const Race& race, std::size_t i) {
  double mean = 0, bound_s = 0, all_s = 0;
  for (const RowWeight& one : race.weights) {
    const OperatorCell& cell = *one.row->cells[i];
    const double part = *cell.verdict.fraction_of_limit, time_s = one.count() * cell.figure.value;
    mean += one.share * std::log(part);
    bound_s += part * time_s;
    all_s += time_s;
  }
  return race.weights.front().summed ? bound_s / all_s : std::exp(mean);
}

/// What part of its bounds the best subject reaches no more, or a rival reaches, where they come level.
BreakEven turn_of_efficiency(const Race& race, std::size_t subject) {
  BreakEven answer{Assumption::efficiency, subject, "", part_of_bounds(race, subject), {}, {}};
  for (const std::size_t rival : race.rivals) {
    if (subject != race.best && subject != rival) continue;
    const double lead = performance(race.weights, rival, race.best).value * taken(race.devices[rival], race.assumed) /
                        taken(race.devices[race.best], race.assumed);
    take_nearer(race, answer, subject == race.best ? answer.now / lead : answer.now * lead, rival);
  }
  return answer;
}

/// Where speed of the best / what it takes = speed of the rival / what that takes, both taking alpha + beta x.
BreakEven turn(const Race& race, Assumption assumption, std::optional<std::size_t> subject, double now) {
  BreakEven answer{assumption, subject, "", now, {}, {}};
  for (const std::size_t rival : race.rivals) {
    const double faster = performance(race.weights, rival, race.best).value;
    const auto line = [&](std::size_t i) { return line_of(race.devices[i], assumption, subject == i, race.assumed); };
    const LinearCost of_best = line(race.best), of_rival = line(rival);
    const double slope = faster * of_rival.beta - of_best.beta;
    if (slope != 0) take_nearer(race, answer, (of_best.alpha - faster * of_rival.alpha) / slope, rival);
  }
  return answer;
}

/// The weights with `share` for a name that has `now`; the others keep their proportions.
std::vector<RowWeight> with_share(std::vector<RowWeight> weights, const std::string& name, double now, double share) {
  for (RowWeight& one : weights) one.share *= one.name == name ? share / now : (1 - share) / (1 - now);
  return weights;
}

/// What subject i takes with these weights of the rows. A measured power is the mean over rows with a share; if none of
/// them has a power, it stays as it was.
double taken_with(const Race& race, std::size_t i, const std::vector<RowWeight>& weights) {
  if (!is_owned(criterion_of(race.assumed))) return taken(race.devices[i], race.assumed);
  DevicePower power = race.devices[i].power;
  if (power.basis == PowerBasis::measured) power.watt = weighted_power(i, weights).value_or(power.watt);
  return taken(owned_device(power, i, race.assumed), race.assumed);
}

/// ln of the lead of the best subject over a rival with these weights of the rows: positive if it is ahead.
double lead_with(const Race& race, std::size_t rival, const std::vector<RowWeight>& weights) {
  return std::log(performance(weights, rival, race.best).value * taken_with(race, rival, weights) /
                  taken_with(race, race.best, weights));
}

/// The share of a name. What a subject takes follows the share with its power, so that a formula has no root in closed
/// form: the shares from 0 to 1 are scanned, and each change of sign is bisected.
BreakEven turn_of_share(const Race& race, const std::string& name, double now) {
  constexpr int steps = 200, halvings = 60;
  BreakEven answer{Assumption::weight, {}, name, now, {}, {}};
  for (const std::size_t rival : race.rivals) {
    const auto ahead = [&](double share) {
      return lead_with(race, rival, with_share(race.weights, name, now, share)) > 0;
    };
    double left = 0;
    bool at_left = ahead(left);
    for (int step = 1; step <= steps; ++step) {
      const double right = static_cast<double>(step) / steps;
      const bool at_right = ahead(right);
      if (at_left != at_right) {
        double low = left, high = right;
        for (int i = 0; i < halvings; ++i) {
          const double middle = (low + high) / 2;
          (ahead(middle) == at_left ? low : high) = middle;
        }
        take_nearer(race, answer, (low + high) / 2, rival);
      }
      left = right;
      at_left = at_right;
    }
  }
  return answer;
}

/// Every name whose share turns the decision, or the one with the largest share; nothing where there is only one name.
/// Of many names those with the largest shares are tried: a small one that becomes all of the work tells little.
std::vector<BreakEven> turns_of_weights(const Race& race) {
  constexpr std::size_t most = 20;
  std::map<std::string, double> shares;
  for (const RowWeight& one : race.weights) shares[one.name] += one.share;
  if (shares.size() < 2) return {};
  std::vector<std::pair<std::string, double>> largest_first(shares.begin(), shares.end());
  std::ranges::stable_sort(largest_first, std::greater<>{}, &std::pair<std::string, double>::second);
  largest_first.resize(std::min(most, largest_first.size()));
  auto all = mapped(largest_first, [&](const auto& one) { return turn_of_share(race, one.first, one.second); });
  BreakEven largest = all.front();
  std::erase_if(all, [](const BreakEven& one) { return !one.at; });
  if (all.empty()) all.push_back(std::move(largest));
  return all;
}

}  // namespace

std::vector<BreakEven> break_evens(const Race& race) {
  std::vector<BreakEven> all;
  std::vector<std::size_t> subjects{race.best};
  subjects.insert(subjects.end(), race.rivals.begin(), race.rivals.end());
  std::ranges::sort(subjects);
  const CostAssumptions& assumed = race.assumed;
  const Criterion by = criterion_of(assumed);
  const bool money = by != Criterion::performance && by != Criterion::within_power;
  const auto add = [&](Assumption assumption, auto now) {
    for (const std::size_t i : subjects) all.push_back(turn(race, assumption, i, now(race.devices[i])));
  };
  if (money) add(Assumption::price, [](const OwnedDevice& one) { return one.capital; });
  if (is_owned(by)) add(Assumption::power, [](const OwnedDevice& one) { return one.power.watt; });
  if (money && is_owned(by)) {
    if (assumed.utilisation < 1) add(Assumption::idle_power, [](const OwnedDevice& one) { return one.idle_power_w; });
    all.push_back(turn(race, Assumption::tariff, {}, assumed.tariff_per_kwh));
    all.push_back(turn(race, Assumption::years, {}, assumed.years));
    all.push_back(turn(race, Assumption::pue, {}, assumed.pue));
    all.push_back(turn(race, Assumption::utilisation, {}, assumed.utilisation));
  }
  for (const std::size_t rival : race.rivals) all.push_back(turn_of_performance(race, rival));
  if (race.by_bounds) {
    for (const std::size_t i : subjects) all.push_back(turn_of_efficiency(race, i));
  }
  std::ranges::move(turns_of_weights(race), std::back_inserter(all));
  return all;
}

}  // namespace gable::questions
