#include "core/measure/two_speeds.hpp"

#include <cmath>
#include <functional>
#include <map>

#include "core/measure/statistics.hpp"

namespace gable::measure {
namespace {

/// How far two speeds are apart, over what the rounds of the faster differ among themselves.
constexpr double gap_over_range = 2;
/// For so many rounds at the faster speed one may lie in between.
constexpr std::size_t rounds_for_one_between = 5;
/// By how much rounds of more than two speeds differ at least, without a tenth of them at each end, as a logarithm: a
/// factor of 1.5, far more than rounds of one speed scatter.
constexpr double least_range = 2 * least_gap;
/// How much slower than the third fastest a round of the fastest speed may be.
constexpr double range_of_a_speed = least_gap / 2;

struct Speed {
  int round{};
  double at_s{};
  double logarithm{};  ///< of the round's median; greater is faster
};

std::vector<Speed> fastest_first(std::span<const Block> blocks, bool larger_is_slower) {
  std::map<int, std::vector<double>> figures;
  std::map<int, double> at_s;
  for (const Block& block : blocks) {
    figures[block.round].push_back(block.figure);
    at_s[block.round] = block.at_s;
  }
  std::vector<Speed> speeds;
  for (const auto& [round, of_it] : figures) {
    if (of_it.size() < least_blocks) continue;
    speeds.push_back({round, at_s[round], (larger_is_slower ? -1 : 1) * std::log(median(of_it))});
  }
  std::ranges::stable_sort(speeds, std::greater(), &Speed::logarithm);
  return speeds;
}

/// How many of the rounds, at least `least`, are at a speed apart from that of the others; 0 if none are.
std::size_t at_a_speed_apart(std::span<const Speed> fastest_first, std::size_t least) {
  for (std::size_t count = least; count < fastest_first.size(); ++count) {
    const Speed& slowest = fastest_first[count - 1];
    const std::size_t next = std::min(count + count / rounds_for_one_between, fastest_first.size() - 1);
    const double range = fastest_first.front().logarithm - slowest.logarithm;
    const double gap = slowest.logarithm - fastest_first[next].logarithm;
    if (gap >= std::max(least_gap, gap_over_range * range)) return count;
  }
  return 0;
}

/// How many of the rounds are at the fastest of several speeds that no gap tells apart; 0 if the rounds do not differ
/// so much, or if the three fastest do not agree.
std::size_t at_the_fastest_of_several(std::span<const Speed> fastest_first) {
  if (fastest_first.size() <= least_rounds) return 0;
  const std::size_t left_out = left_out_of(fastest_first.size());
  const auto logarithm = [&](std::size_t place) { return fastest_first[place].logarithm; };
  const double third = logarithm(least_rounds - 1);
  const bool differ = logarithm(left_out) - logarithm(fastest_first.size() - 1 - left_out) >= least_range;
  if (!differ || logarithm(0) - third > least_gap) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      fastest_first, [&](const Speed& speed) { return third - speed.logarithm <= range_of_a_speed; }));
}

struct Faster {
  std::size_t count{};  ///< rounds at the faster of two speeds, or at the fastest of several; 0 where there is but one
  bool apart{};         ///< of two
};

Faster at_a_faster_speed(std::span<const Speed> fastest_first) {
  const std::size_t apart = at_a_speed_apart(fastest_first, least_rounds);
  if (apart > 0) return {apart, true};
  return {at_the_fastest_of_several(fastest_first), false};
}

}  // namespace

FasterRounds faster_rounds(std::span<const Block> blocks, bool larger_is_slower) {
  const auto speeds = fastest_first(blocks, larger_is_slower);
  const auto [count, apart] = at_a_faster_speed(speeds);
  FasterRounds faster{{}, apart};
  for (std::size_t i = 0; i < count; ++i) faster.rounds.push_back(speeds[i].round);
  return faster;
}

bool saw_a_faster_speed(std::span<const Block> blocks, bool larger_is_slower) {
  const auto count = at_a_speed_apart(fastest_first(blocks, larger_is_slower), 1);
  return 0 < count && count < least_rounds;
}

std::vector<Moment> moments_of(std::span<const Block> blocks, bool larger_is_slower) {
  const auto speeds = fastest_first(blocks, larger_is_slower);
  const std::size_t faster = at_a_faster_speed(speeds).count;
  std::vector<Moment> moments;
  for (std::size_t i = 0; faster > 0 && i < speeds.size(); ++i) {
    if (speeds[i].at_s == 0) continue;
    const double lost = i < faster ? 0 : speeds[faster / 2].logarithm - speeds[i].logarithm;
    moments.push_back({speeds[i].at_s, std::exp(lost)});
  }
  return moments;
}

double slowdown_at(std::span<const Moment> moments, double time_s) {
  constexpr double near_s = 15;
  const Moment* nearest = nullptr;
  for (const Moment& moment : moments) {
    const double away_s = std::abs(moment.at_s - time_s);
    if (away_s <= near_s && (nearest == nullptr || away_s < std::abs(nearest->at_s - time_s))) nearest = &moment;
  }
  return nearest == nullptr || time_s == 0 ? 1.0 : nearest->slowdown;
}

}  // namespace gable::measure
