#include "core/model/capacity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/model/roofline.hpp"
#include "core/sequence.hpp"

namespace gable {
namespace {

/// Others may have most of the outermost cache, and few have a part of those further in.
constexpr double least_of_outermost = 1.0 / 32, least_of_told = 1.0 / 4, most_of_told = 2.5;
/// And the outermost one ends behind what the system says of the one inside it.
constexpr double least_of_inner = 1.25;
constexpr std::size_t least_sets = 2;
/// Memory and time grow with the square of the sizes; a sweep has some tens.
constexpr std::size_t most_sets = 1000;
/// Of the logarithms of two levels' times, where they can be told apart.
constexpr double least_step = 0.1;
constexpr double infinite = std::numeric_limits<double>::infinity();

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// A series in logarithms.
struct Series {
  std::span<const double> told, sets;
  std::vector<double> logs;

  double level(std::size_t begin, std::size_t end) const {
    return middle({logs.begin() + static_cast<std::ptrdiff_t>(begin), logs.begin() + static_cast<std::ptrdiff_t>(end)});
  }
  double cost(std::size_t begin, std::size_t end) const {
    const double here = level(begin, end);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += std::abs(logs[i] - here);
    return sum;
  }
  /// Whether the cache of this number may end before `end`.
  bool may_end(std::size_t cache, std::size_t end) const {
    const double last = sets[end - 1];
    const bool outermost = cache + 1 == told.size();
    const bool beyond_inner = !outermost || cache == 0 || told[cache] < told[cache - 1] ||
                              last >= least_of_inner * told[cache - 1];  // else what is left of that would be this one
    return beyond_inner && last >= (outermost ? least_of_outermost : least_of_told) * told[cache] &&
           last <= most_of_told * told[cache];
  }
};

/// Where the pieces begin, and the end of the last; empty where there is no way to cut.
std::vector<std::size_t> best_cuts(const Series& series) {
  const std::size_t count = series.logs.size(), pieces = series.told.size() + 1;
  const std::size_t none = count + 1;
  std::vector<std::vector<double>> least(pieces + 1, std::vector<double>(count + 1, infinite));
  std::vector<std::vector<std::size_t>> from(pieces + 1, std::vector<std::size_t>(count + 1, none));
  std::vector<std::vector<double>> costs(count, std::vector<double>(count + 1, infinite));
  const auto cost = [&](std::size_t begin, std::size_t end) {
    double& known = costs[begin][end];
    if (known == infinite) known = series.cost(begin, end);
    return known;
  };
  least[0][0] = 0;
  for (std::size_t piece = 1; piece <= pieces; ++piece) {
    for (std::size_t end = least_sets; end <= count; ++end) {
      if (piece == pieces ? end != count : !series.may_end(piece - 1, end)) continue;
      for (std::size_t begin = 0; begin + least_sets <= end; ++begin) {
        if (least[piece - 1][begin] == infinite) continue;
        const double sum = least[piece - 1][begin] + cost(begin, end);
        if (sum >= least[piece][end]) continue;
        least[piece][end] = sum;
        from[piece][end] = begin;
      }
    }
  }
  if (least[pieces][count] == infinite) return {};
  std::vector<std::size_t> cuts{count};
  for (std::size_t piece = pieces; piece > 0; --piece) cuts.push_back(from[piece][cuts.back()]);
  std::ranges::reverse(cuts);
  return cuts;
}

std::optional<CacheStep> step_of(const Series& series, const std::vector<std::size_t>& cuts, std::size_t cache) {
  const double here = series.level(cuts[cache], cuts[cache + 1]);
  const double beyond = series.level(cuts[cache + 1], cuts[cache + 2]);
  if (!(beyond - here >= least_step)) return {};
  const double half = (here + beyond) / 2;
  std::size_t last = cuts[cache + 1] - 1;
  while (last > cuts[cache] && series.logs[last] > half) --last;
  while (last + 2 < cuts[cache + 2] && series.logs[last + 1] < half) ++last;
  const double before = series.logs[last], behind = series.logs[last + 1];
  double holds = series.sets[last];
  if (before < half && half <= behind)
    holds *= std::pow(series.sets[last + 1] / holds, (half - before) / (behind - before));
  std::size_t whole = last;
  const double near = std::min(least_step, (beyond - here) / 4);
  while (whole > cuts[cache] && series.logs[whole] > here + near) --whole;
  return CacheStep{holds, series.sets[whole], std::exp(here), std::exp(beyond)};
}

}  // namespace

std::vector<double> bytes_of_caches(std::span<const Level> levels) {
  return filtered(mapped(levels, &Level::capacity_bytes), [](double bytes) { return bytes > 0; });
}

std::vector<std::optional<CacheStep>> cache_steps(std::span<const double> told_bytes, std::span<const double> set_bytes,
                                                  std::span<const double> seconds) {
  std::vector<std::optional<CacheStep>> steps(told_bytes.size());
  if (seconds.size() > most_sets) return steps;
  Series series{told_bytes, set_bytes, {}};
  for (const double time : seconds) series.logs.push_back(std::log(time));
  const auto cuts = best_cuts(series);
  if (cuts.empty()) return steps;
  for (std::size_t cache = 0; cache < steps.size(); ++cache) steps[cache] = step_of(series, cuts, cache);
  return steps;
}

namespace {

/// The sweeps of bandwidth among the curves, by ascending fraction of reads.
struct Sweep {
  Access access;
  std::vector<double> set_bytes, byte_per_s;
};

std::vector<Sweep> sweeps_among(std::span<const Curve> curves) {
  std::vector<Sweep> sweeps;
  for (const Access access : {Access::write, Access::copy, Access::triad, Access::read}) {
    for (const Curve& curve : curves) {
      if (curve.name != working_set_sweep || curve.series != to_string(access) || curve.status != Status::ok) continue;
      Sweep sweep{access, {}, {}};
      for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
        const bool ascends = sweep.set_bytes.empty() || curve.x[i] > sweep.set_bytes.back();
        if (!ascends || !(curve.y[i] > 0)) continue;
        sweep.set_bytes.push_back(curve.x[i]);
        sweep.byte_per_s.push_back(curve.y[i]);
      }
      sweeps.push_back(std::move(sweep));
      break;
    }
  }
  return sweeps;
}

}  // namespace

void Roofline::set_sweeps(std::span<const Curve> curves) {
  if (levels_.size() < 2) return;
  std::vector<double> told;
  for (std::size_t i = 0; i + 1 < levels_.size(); ++i) told.push_back(levels_[i].capacity_bytes);
  const auto sweeps = sweeps_among(curves);
  std::vector<std::vector<double>> whole(told.size());
  for (const Sweep& sweep : sweeps) {
    const auto seconds = mapped(sweep.byte_per_s, [](double rate) { return 1 / rate; });
    const auto steps = cache_steps(told, sweep.set_bytes, seconds);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i]) whole[i].push_back(steps[i]->whole);
    }
  }
  if (std::ranges::all_of(whole, [](const auto& one) { return one.empty(); })) return;
  double shown = 0;  // of the outermost cache so far that shows: one behind it that does not is not known to serve more
  for (std::size_t i = 0; i < told.size(); ++i) {
    Level& level = levels_[i];
    if (whole[i].empty()) {
      level.whole_bytes = shown > 0 ? shown : told[i];
      continue;
    }
    level.whole_bytes = shown = std::min(told[i], std::ranges::min(whole[i]));
    level.told_bytes = told[i];
    level.capacity_bytes = std::min(told[i], middle(whole[i]));
  }
  const double largest = 4 * std::ranges::max(told);  // of larger sets, caches serve nothing
  for (Level& level : levels_) {
    for (const Sweep& sweep : sweeps) {
      const double fraction = read_fraction(sweep.access);
      const auto roof = byte_per_s(level.name, {.read_fraction = fraction});
      if (!roof) break;
      SweptShare& swept = level.swept.emplace_back(SweptShare{.read_fraction = fraction});
      for (std::size_t i = 0; i < sweep.set_bytes.size() && sweep.set_bytes[i] <= largest; ++i) {
        swept.set_bytes.push_back(sweep.set_bytes[i]);
        swept.share.push_back(std::min(1.0, *roof / sweep.byte_per_s[i]));
      }
    }
  }
}

}  // namespace gable
