#include "core/measure/rounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/sequence.hpp"

namespace gable::measure {
namespace {

/// Interval of the median of figures in the order taken, wider the stronger consecutive ones are correlated; the whole
/// range where independent figures would have one but these are too few for their correlation.
std::optional<Interval> interval_of_median(std::span<const double> figures) {
  const auto interval = median_interval(figures, allowed_miss, serial_correlation(figures));
  if (interval || !median_interval(figures, allowed_miss)) return interval;
  const auto [low, high] = std::minmax_element(figures.begin(), figures.end());
  return Interval{*low, *high, allowed_miss};
}

/// The bootstrap's interval, each side of it stretched by sqrt((1 + r) / (1 - r)): its blocks of a few figures keep
/// only part of the correlation r. It stays within the figures, as the mode does.
std::optional<Interval> interval_of_mode(std::span<const double> figures, double mode, std::uint64_t seed) {
  auto interval = block_bootstrap_interval(figures, half_sample_mode, allowed_miss, seed);
  if (!interval) return interval;
  const double r = serial_correlation(figures);
  const double stretch = std::sqrt((1 + r) / (1 - r));
  const auto [low, high] = std::minmax_element(figures.begin(), figures.end());
  interval->low = std::clamp(mode - stretch * (mode - interval->low), *low, interval->low);
  interval->high = std::clamp(mode + stretch * (interval->high - mode), interval->high, *high);
  return interval;
}

/// Percentile interval of the mode over rounds drawn with replacement: what of it hangs on single rounds.
std::optional<Interval> mode_between_rounds(std::span<const double> figures, std::span<const int> rounds,
                                            std::uint64_t seed) {
  std::vector<std::vector<double>> groups;
  for (auto& [round, of_it] : by_round(figures, rounds)) groups.push_back(std::move(of_it));
  if (groups.size() < least_rounds) return {};
  constexpr std::size_t resamples = 1000;
  constexpr auto outside = static_cast<std::size_t>(allowed_miss / 2 * resamples);
  std::mt19937_64 random(seed);
  std::vector<double> modes, drawn;
  for (std::size_t i = 0; i < resamples; ++i) {
    drawn.clear();
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const auto& round = groups[random() % groups.size()];
      drawn.insert(drawn.end(), round.begin(), round.end());
    }
    modes.push_back(half_sample_mode(drawn));
  }
  std::ranges::sort(modes);
  return Interval{modes[outside], modes[resamples - 1 - outside], allowed_miss};
}

/// What the blocks say that the value rests on.
struct Chosen {
  std::vector<double> figures;
  std::vector<int> rounds;

  explicit Chosen(std::span<const Block> blocks) {
    for (const Block& block : blocks) {
      figures.push_back(block.figure);
      rounds.push_back(block.round);
    }
  }
};

/// From the slowest to the fastest of the rounds: without a gap between two speeds, slower rounds of the same speed may
/// have been excluded, so the interval spans all.
Interval range_of_rounds(const Chosen& chosen) {
  const auto medians = medians_of_rounds(chosen.figures, chosen.rounds);
  const auto [low, high] = std::ranges::minmax(medians);
  return {low, high, allowed_miss};
}

/// Those whose figures are nearest to a mode, half of them: machines of several clocks have one for each speed.
std::vector<Block> nearest_half(std::vector<Block> blocks, double mode) {
  std::ranges::stable_sort(blocks, {}, [&](const Block& block) { return std::abs(block.figure - mode); });
  blocks.resize((blocks.size() + 1) / 2);
  return blocks;
}

void set_interval(Estimate& estimate, const std::optional<Interval>& of_blocks,
                  const std::optional<Interval>& of_rounds) {
  for (const auto& interval : {of_blocks, of_rounds}) {
    if (!interval) continue;
    estimate.ci_low = std::min({estimate.low(), interval->low, estimate.value});
    estimate.ci_high = std::max({estimate.high(), interval->high, estimate.value});
  }
}

/// Widens the interval on its fast side by this factor.
void allow_for(Estimate& estimate, double lost, bool larger_is_slower) {
  if (!estimate.ci_low || lost <= 1) return;
  if (larger_is_slower)
    estimate.ci_low = std::min(*estimate.ci_low, estimate.value / lost);
  else
    estimate.ci_high = std::max(*estimate.ci_high, estimate.value * lost);
}

/// A core that was shared all the time cost the work something between nothing and what it cost the
/// sentinel while it ran, and the time that its threads did not run, if need be one by one.
double lost_to_a_shared_core(const Estimate& estimate) {
  if (!rests_on_disturbed_blocks(estimate)) return 1;
  const Disturbance& seen = estimate.seen;
  return std::max(seen.preemption_slowdown, seen.most_preemption) * seen.throughput_slowdown;
}

/// If others were slow in all rounds of these blocks, the factor to widen their interval by: the smallest slowdown of
/// the others.
double lost_with_others(std::span<const Block> blocks, std::span<const Moment> others) {
  double lost = std::numeric_limits<double>::infinity();
  for (const Block& block : blocks) lost = std::min(lost, slowdown_at(others, block.at_s));
  return lost < std::exp(least_gap) ? 1 : lost;
}

/// When each round ended, by ascending round, to the millisecond; empty where that is not known of all.
std::vector<double> ends_of_rounds(std::span<const Block> blocks) {
  std::map<int, double> at_s;
  for (const Block& block : blocks) at_s[block.round] = block.at_s;
  std::vector<double> ends;
  for (const auto& [round, end_s] : at_s) {
    if (end_s == 0) return {};
    ends.push_back(std::round(end_s * 1000) / 1000);
  }
  return ends;
}

/// What was seen beside each block; empty where nothing ever was.
std::vector<double> series_of(std::span<const Block> blocks, double Block::*seen) {
  if (std::ranges::all_of(blocks, [&](const Block& block) { return block.*seen == Block().*seen; })) return {};
  return mapped(blocks, seen);
}

/// The plain median of all blocks, whatever was seen.
void set_median(Estimate& estimate) {
  estimate.median = median(estimate.samples);
  if (const auto interval = interval_of_median(estimate.samples)) {
    estimate.median_ci_low = interval->low;
    estimate.median_ci_high = interval->high;
  }
}

}  // namespace

std::map<int, std::vector<double>> by_round(std::span<const double> figures, std::span<const int> rounds,
                                            std::span<const int> left_out) {
  std::map<int, std::vector<double>> groups;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    auto& of_it = groups[rounds[i]];
    if (std::ranges::count(left_out, static_cast<int>(i)) == 0) of_it.push_back(figures[i]);
  }
  return groups;
}

std::vector<double> medians_of_rounds(std::span<const double> figures, std::span<const int> rounds) {
  return mapped(by_round(figures, rounds), [](const auto& round) { return median(round.second); });
}

std::optional<Interval> between_rounds(std::span<const double> figures, std::span<const int> rounds, double miss) {
  std::vector<double> logarithms = medians_of_rounds(figures, rounds);
  if (logarithms.size() < least_rounds) return {};
  const auto count = static_cast<double>(logarithms.size());
  double mean = 0, squares = 0;
  for (double& value : logarithms) {
    value = std::log(value);
    mean += value / count;
  }
  for (const double value : logarithms) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (count - 1) / count);
  const double t = boost::math::quantile(boost::math::students_t(count - 1), 1 - miss / 2);
  return Interval{std::exp(mean - t * error), std::exp(mean + t * error), miss};
}

Estimate estimate(std::span<const Block> blocks, const EstimateOptions& options) {
  if (blocks.empty()) throw Error("estimate: no blocks");
  std::vector<Block> felt(blocks.begin(), blocks.end());
  if (!options.core_bound) {
    for (Block& block : felt) block.throughput_s = 0;
  }
  const Classification classes = classify(felt, options.throughput_baseline);
  Estimate result;
  result.taken.assign(blocks.begin(), blocks.end());
  result.seen = classes.seen;
  result.blocks = static_cast<int>(blocks.size());
  const int quiet = result.blocks - result.seen.disturbed_blocks;
  const bool separates = result.seen.disturbed_blocks > 0 && quiet >= least_for_interval;
  std::vector<Block> kept;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    result.samples.push_back(blocks[i].figure);
    result.rounds.push_back(blocks[i].round);
    if (classes.disturbed[i]) result.disturbed_samples.push_back(static_cast<int>(i));
    if (was_interrupted(blocks[i])) result.interrupted_samples.push_back(static_cast<int>(i));
    if (!separates || !classes.disturbed[i]) kept.push_back(blocks[i]);
  }
  result.ended_s = ends_of_rounds(blocks);
  result.sentinel_s = series_of(blocks, &Block::sentinel_s);
  result.throughput_s = series_of(blocks, &Block::throughput_s);
  result.preemption = series_of(blocks, &Block::preemption);
  set_median(result);
  result.used_blocks = static_cast<int>(kept.size());
  FasterRounds faster;
  if (options.fastest_speed && !rests_on_disturbed_blocks(result)) {
    faster = faster_rounds(kept, options.larger_is_slower);
    result.saw_faster = saw_a_faster_speed(kept, options.larger_is_slower);
  }
  result.used_rounds = faster.rounds;
  const bool at_fastest = !result.used_rounds.empty();
  if (at_fastest) {
    std::ranges::sort(result.used_rounds);
    std::erase_if(kept, [&](const Block& block) { return std::ranges::count(result.used_rounds, block.round) == 0; });
    result.used_blocks = static_cast<int>(kept.size());
  }
  result.clock_hz = median_if_any(told_by(kept, &Block::clock_hz));
  const Chosen chosen(kept);
  if (options.ceiling && !at_fastest && has_slow_tail(chosen.figures, options.larger_is_slower)) {
    result.estimator = Estimator::mode;
    result.value = half_sample_mode(chosen.figures);
    result.clock_hz = median_if_any(told_by(nearest_half(kept, result.value), &Block::clock_hz));
    set_interval(result, interval_of_mode(chosen.figures, result.value, options.seed),
                 mode_between_rounds(chosen.figures, chosen.rounds, options.seed));
  } else {
    result.estimator = at_fastest ? Estimator::faster_speed : separates ? Estimator::undisturbed : Estimator::median;
    result.value = median(chosen.figures);
    set_interval(result, interval_of_median(chosen.figures), between_rounds(chosen.figures, chosen.rounds));
    if (at_fastest && !faster.apart) set_interval(result, {}, range_of_rounds(chosen));
  }
  allow_for(result, lost_to_a_shared_core(result), options.larger_is_slower);
  if (!at_fastest) allow_for(result, lost_with_others(kept, options.others), options.larger_is_slower);
  return result;
}

std::vector<std::size_t> used_samples(const Estimate& estimate) {
  const std::set<int> rounds(estimate.used_rounds.begin(), estimate.used_rounds.end());
  const std::set<int> disturbed(estimate.disturbed_samples.begin(), estimate.disturbed_samples.end());
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < estimate.samples.size(); ++i) {
    if (rounds.empty() || rounds.contains(estimate.rounds[i])) used.push_back(i);
  }
  if (static_cast<int>(used.size()) > estimate.used_blocks)
    std::erase_if(used, [&](std::size_t i) { return disturbed.contains(static_cast<int>(i)); });
  return used;
}

bool rests_on_disturbed_blocks(const Estimate& estimate) {
  const int disturbed = estimate.seen.disturbed_blocks;
  return disturbed > 0 && 2 * disturbed >= estimate.blocks && estimate.used_blocks == estimate.blocks;
}

bool shared_its_core(const Estimate& estimate) {
  const double lost = estimate.seen.preemption_slowdown * estimate.seen.throughput_slowdown;
  return rests_on_disturbed_blocks(estimate) && lost > shared_core_slowdown;
}

bool was_held_back(const Estimate& estimate) {
  const Disturbance& seen = estimate.seen;
  const bool moved = seen.moved_blocks > 0 && 2 * seen.moved_blocks >= estimate.blocks;
  const bool held = rests_on_disturbed_blocks(estimate) && (seen.preemption_slowdown > shared_core_slowdown || moved);
  return held || seen.waiting_share > most_waiting_share;
}

double share_held_back(const Disturbance& seen) {
  return std::max(1 - 1 / seen.preemption_slowdown, seen.waiting_share);
}

std::string held_back_words(const Estimate& estimate) {
  const Disturbance& seen = estimate.seen;
  std::vector<std::string> causes;
  if (seen.throttled_s > 0)
    causes.push_back(fmt::format("a processor quota stopped them for {:.2g} s", seen.throttled_s));
  if (seen.moved_blocks > 0) causes.emplace_back("somebody changed the cpus that they may run on");
  if (causes.empty()) causes.emplace_back("others had the processors");
  if (seen.stolen_s.value_or(0) > 0)
    causes.push_back(fmt::format("a hypervisor took {:.2g} s from them", *seen.stolen_s));
  return fmt::format("{}a thread with work did not run for {:.0f} % of its time: {}", held_back_prefix,
                     100 * share_held_back(seen), fmt::join(causes, ", "));
}

bool wants_another_round(const Estimate& estimate, double half_width) {
  const auto percent = half_interval_percent(estimate);
  std::set<int> rounds;
  for (const std::size_t i : used_samples(estimate)) rounds.insert(estimate.rounds[i]);
  const bool of_one_moment = estimate.used_blocks < estimate.blocks && rounds.size() < 2;
  return shared_its_core(estimate) || was_held_back(estimate) || of_one_moment || estimate.saw_faster || !percent ||
         *percent > 100 * half_width;
}

}  // namespace gable::measure
