#include "benchmarks/sentinel_score.hpp"

#include <algorithm>

#include "core/measure/statistics.hpp"

namespace gable::bench {

SentinelScore score(std::span<const double> times, const std::vector<bool>& disturbed, double level, double good_by,
                    double slow_by) {
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

double undisturbed_time(std::span<const double> times) {
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  return measure::half_sample_mode(std::span(sorted).first((sorted.size() + 3) / 4));
}

}  // namespace gable::bench
