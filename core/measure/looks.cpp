#include "core/measure/looks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/measure/disturbance.hpp"

namespace gable::measure {
namespace {

void set_interval(Estimate& estimate, const std::optional<Interval>& interval) {
  estimate.ci_low.reset();
  estimate.ci_high.reset();
  if (!interval) return;
  estimate.ci_low = std::min(interval->low, estimate.value);
  estimate.ci_high = std::max(interval->high, estimate.value);
}

/// Interval of the median of figures in the order taken, wider the more neighbours resemble each other. Where the error
/// allowed would do for independent figures but not for these, the whole range at the last look, nothing before.
std::optional<Interval> interval_of_median(std::span<const double> figures, double allowed, bool last) {
  const auto interval = median_interval(figures, allowed, serial_correlation(figures));
  if (interval || !last || !median_interval(figures, allowed)) return interval;
  const auto [low, high] = std::minmax_element(figures.begin(), figures.end());
  return Interval{*low, *high, allowed};
}

/// The bootstrap's interval, each side of it stretched by sqrt((1 + r) / (1 - r)): its blocks of a few figures keep
/// only part of the correlation r. It stays within the figures, as the mode does.
std::optional<Interval> interval_of_mode(std::span<const double> figures, double mode, double allowed,
                                         std::uint64_t seed) {
  auto interval = block_bootstrap_interval(figures, half_sample_mode, allowed, seed);
  if (!interval) return interval;
  const double r = serial_correlation(figures);
  const double stretch = std::sqrt((1 + r) / (1 - r));
  const auto [low, high] = std::minmax_element(figures.begin(), figures.end());
  interval->low = std::clamp(mode - stretch * (mode - interval->low), *low, interval->low);
  interval->high = std::clamp(mode + stretch * (interval->high - mode), interval->high, *high);
  return interval;
}

/// Of the blocks that saw a clock and are not left out (one a block, or empty).
std::optional<double> median_clock(std::span<const Block> blocks, const std::vector<bool>& left_out) {
  std::vector<double> clocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].clock_hz && (left_out.empty() || !left_out[i])) clocks.push_back(*blocks[i].clock_hz);
  }
  if (clocks.empty()) return {};
  return median(clocks);
}

}  // namespace

Looks::Looks(const Quantity& quantity, const Policy& policy) : larger_is_slower_(!quantity.rate), policy_(policy) {}

double Looks::allowance(double spent, bool last) const {
  const auto planned = static_cast<double>(policy_.looks.size());
  const double share = last ? 1.0 : std::min(1.0, static_cast<double>(taken_) / planned);
  return std::max(0.0, overall_miss * share - spent);
}

Estimate Looks::look(std::span<const Block> blocks, bool last) {
  ++taken_;
  Estimate estimate;
  for (const Block& block : blocks) estimate.samples.push_back(block.figure);
  estimate.blocks = estimate.used_blocks = static_cast<int>(blocks.size());
  estimate.value = estimate.median = median(estimate.samples);
  const auto interval = interval_of_median(estimate.samples, allowance(median_spent_, last), last);
  if (interval) {
    estimate.median_ci_low = interval->low;
    estimate.median_ci_high = interval->high;
    median_spent_ += interval->miss;
  }
  if (policy_.ceiling) {
    estimate_ceiling(estimate, blocks, last);
  } else {
    estimate.seen = classify(blocks).seen;
    estimate.clock_hz = median_clock(blocks, {});
    set_interval(estimate, interval);
  }
  return estimate;
}

void Looks::estimate_ceiling(Estimate& estimate, std::span<const Block> blocks, bool last) {
  const Classification classes = classify(blocks);
  estimate.seen = classes.seen;
  const int quiet = estimate.blocks - estimate.seen.disturbed_blocks;
  const bool separates = estimate.seen.disturbed_blocks > 0 && quiet >= least_for_interval;
  std::vector<double> figures;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!separates || !classes.disturbed[i]) figures.push_back(blocks[i].figure);
  }
  estimate.used_blocks = static_cast<int>(figures.size());
  estimate.clock_hz = median_clock(blocks, separates ? classes.disturbed : std::vector<bool>{});

  const double allowed = allowance(value_spent_, last);
  std::optional<Interval> interval;
  if (has_slow_tail(figures, larger_is_slower_)) {
    estimate.estimator = Estimator::mode;
    estimate.value = half_sample_mode(figures);
    interval = interval_of_mode(figures, estimate.value, allowed, policy_.seed);
  } else {
    estimate.estimator = separates ? Estimator::undisturbed : Estimator::median;
    estimate.value = median(figures);
    interval = interval_of_median(figures, allowed, last);
  }
  set_interval(estimate, interval);
  if (interval) value_spent_ += interval->miss;
}

}  // namespace gable::measure
