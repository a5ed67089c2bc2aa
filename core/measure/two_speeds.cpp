#include "core/measure/two_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/measure/statistics.hpp"

namespace gable::measure {
namespace {

/// How far a faster speed is from the next, over what its rounds differ among themselves.
constexpr double gap_over_range = 2;
/// For so many rounds at the faster speed one may lie in between: the speed changed while it was taken.
constexpr std::size_t rounds_for_one_between = 5;

struct Speed {
  int round{};
  double logarithm{};  ///< of the round's median; greater is faster
};

std::vector<Speed> fastest_first(std::span<const double> figures, std::span<const int> rounds, bool larger_is_slower) {
  std::vector<Speed> speeds;
  for (const auto& [round, of_it] : figures_by_round(figures, rounds))
    speeds.push_back({round, (larger_is_slower ? -1 : 1) * std::log(median(of_it))});
  std::ranges::stable_sort(speeds, std::greater(), &Speed::logarithm);
  return speeds;
}

/// How many of the rounds, at least `least`, are at a speed of their own; 0 if none are.
std::size_t at_a_faster_speed(std::span<const Speed> fastest_first, std::size_t least) {
  for (std::size_t count = least; count < fastest_first.size(); ++count) {
    const double range = fastest_first.front().logarithm - fastest_first[count - 1].logarithm;
    const std::size_t next = std::min(count + count / rounds_for_one_between, fastest_first.size() - 1);
    const double gap = fastest_first[count - 1].logarithm - fastest_first[next].logarithm;
    if (gap >= std::max(least_gap, gap_over_range * range)) return count;
  }
  return 0;
}

}  // namespace

std::map<int, std::vector<double>> figures_by_round(std::span<const double> figures, std::span<const int> rounds) {
  std::map<int, std::vector<double>> by_round;
  for (std::size_t i = 0; i < figures.size(); ++i) by_round[rounds[i]].push_back(figures[i]);
  return by_round;
}

std::vector<int> faster_rounds(std::span<const double> figures, std::span<const int> rounds, bool larger_is_slower) {
  auto speeds = fastest_first(figures, rounds, larger_is_slower);
  speeds.resize(at_a_faster_speed(speeds, least_rounds));
  std::vector<int> faster;
  for (const Speed& speed : speeds) faster.push_back(speed.round);
  return faster;
}

bool saw_a_faster_speed(std::span<const double> figures, std::span<const int> rounds, bool larger_is_slower) {
  const auto count = at_a_faster_speed(fastest_first(figures, rounds, larger_is_slower), 1);
  return 0 < count && count < least_rounds;
}

std::vector<Moment> moments_of(std::span<const Block> blocks, bool larger_is_slower) {
  std::vector<double> figures;
  std::vector<int> rounds;
  std::map<int, double> at_s;
  for (const Block& block : blocks) {
    figures.push_back(block.figure);
    rounds.push_back(block.round);
    at_s[block.round] = block.at_s;
  }
  const auto speeds = fastest_first(figures, rounds, larger_is_slower);
  const std::size_t faster = at_a_faster_speed(speeds, least_rounds);
  std::vector<Moment> moments;
  for (std::size_t i = 0; faster > 0 && i < speeds.size(); ++i) {
    const double lost = i < faster ? 0 : speeds[faster / 2].logarithm - speeds[i].logarithm;
    moments.push_back({at_s[speeds[i].round], std::exp(lost)});
  }
  return moments;
}

double slowdown_at(std::span<const Moment> moments, double time_s) {
  constexpr double near_s = 5;
  const Moment* nearest = nullptr;
  for (const Moment& moment : moments) {
    const double away_s = std::abs(moment.at_s - time_s);
    if (away_s <= near_s && (nearest == nullptr || away_s < std::abs(nearest->at_s - time_s))) nearest = &moment;
  }
  return nearest == nullptr ? 1.0 : nearest->slowdown;
}

}  // namespace gable::measure
