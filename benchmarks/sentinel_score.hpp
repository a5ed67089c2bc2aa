#pragma once
#include <span>
#include <vector>

namespace gable::bench {

/// How well a covariate told slow samples from good ones. Samples between the two count as neither.
struct SentinelScore {
  int slow{}, seen{};     ///< slow samples, and those of them that were called disturbed
  int good{}, doubted{};  ///< good samples, and those of them that were called disturbed
};

/// Slow is a time above (1 + slow_by) times the level, good one of at most (1 + good_by) times. `disturbed`: one a
/// time.
SentinelScore score(std::span<const double> times, const std::vector<bool>& disturbed, double level, double good_by,
                    double slow_by);

/// The time of an undisturbed sample: the half-sample mode of the fastest quarter, as measure::throughput_baseline()
/// has it. Throws Error if there are none.
double undisturbed_time(std::span<const double> times);

}  // namespace gable::bench
