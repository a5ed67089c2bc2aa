#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "core/measure/statistics.hpp"

namespace gable::bench {

/// How well a covariate told slow samples from good ones. Samples between the two count as neither.
struct SentinelScore {
  int slow{}, seen{};     ///< slow samples, and those of them that were called disturbed
  int good{}, doubted{};  ///< good samples, and those of them that were called disturbed
};

/// Slow is a time above (1 + slow_by) times the level, good one of at most (1 + good_by) times. `disturbed`: one a
/// time.
inline SentinelScore score(std::span<const double> times, const std::vector<bool>& disturbed, double level,
                           double good_by, double slow_by) {
  SentinelScore result;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] > (1 + slow_by) * level) {
      ++result.slow;
      result.seen += disturbed[i] ? 1 : 0;
    } else if (times[i] <= (1 + good_by) * level) {
      ++result.good;
      result.doubted += disturbed[i] ? 1 : 0;
    }
  }
  return result;
}

/// The time of an undisturbed sample: the half-sample mode of the fastest quarter, as measure::throughput_baseline()
/// has it. Throws Error if there are none.
inline double undisturbed_time(std::span<const double> times) {
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  return measure::half_sample_mode(std::span(sorted).first((sorted.size() + 3) / 4));
}

}  // namespace gable::bench
