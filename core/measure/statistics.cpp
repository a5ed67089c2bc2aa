#include "core/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "core/error.hpp"

namespace gable::measure {
namespace {

constexpr int resamples = 2000;
constexpr double most_correlation = 0.95;

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double median_of_sorted(std::span<const double> values) {
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// First index of the narrowest window of `length` sorted values; of several, the middle one.
std::size_t densest_window(std::span<const double> values, std::size_t length) {
  const auto width = [&](std::size_t first) { return values[first + length - 1] - values[first]; };
  double narrowest = width(0);
  for (std::size_t first = 1; first + length <= values.size(); ++first) narrowest = std::min(narrowest, width(first));
  const auto is_narrowest = [&](std::size_t first) { return width(first) == narrowest; };
  std::size_t count = 0;
  for (std::size_t first = 0; first + length <= values.size(); ++first) count += is_narrowest(first) ? 1 : 0;
  std::size_t middle = 0;
  for (std::size_t to_pass = count / 2; to_pass > 0 || !is_narrowest(middle); ++middle) {
    if (is_narrowest(middle)) --to_pass;
  }
  return middle;
}

double mode_of_sorted(std::span<const double> values) {
  while (values.size() > 2) {
    const std::size_t half = (values.size() + 1) / 2;
    values = values.subspan(densest_window(values, half), half);
  }
  return median_of_sorted(values);
}

/// Ranks less their mean, equal values sharing the mean of theirs.
std::vector<double> centred_ranks(std::span<const double> values) {
  const auto ordered = sorted(values);
  const double mean = (static_cast<double>(ordered.size()) - 1) / 2;
  std::vector<double> ranks;
  for (const double value : values) {
    const auto [first, last] = std::equal_range(ordered.begin(), ordered.end(), value);
    const auto twice = (first - ordered.begin()) + (last - ordered.begin()) - 1;
    ranks.push_back(static_cast<double>(twice) / 2 - mean);
  }
  return ranks;
}

/// P(N = k) for k = 0 … n/2, N the number of values below their median when a value lies on the side of the one before
/// it with probability (1 + correlation) / 2.
std::vector<double> count_below(std::size_t n, double correlation) {
  if (n == 0) return {};
  const double stay = (1 + correlation) / 2;
  const std::size_t most = n / 2;
  // Of the values so far k are below, and the last one is above or below.
  std::vector<double> above(most + 1), below(most + 1);
  above[0] = 0.5;
  if (most > 0) below[1] = 0.5;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t k = most + 1; k-- > 0;) {
      const double from_fewer = k > 0 ? stay * below[k - 1] + (1 - stay) * above[k - 1] : 0.0;
      above[k] = stay * above[k] + (1 - stay) * below[k];
      below[k] = from_fewer;
    }
  }
  for (std::size_t k = 0; k <= most; ++k) above[k] += below[k];
  return above;
}

}  // namespace

double median(std::span<const double> values) {
  if (values.empty()) throw Error("median: no values");
  return median_of_sorted(sorted(values));
}

std::optional<double> median_if_any(std::span<const double> values) {
  return values.empty() ? std::nullopt : std::optional(median(values));
}

double serial_correlation(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 3) return 0;
  const auto centred = centred_ranks(values);
  double products = 0;
  double squares = centred[0] * centred[0];
  for (std::size_t i = 1; i < n; ++i) {
    products += centred[i - 1] * centred[i];
    squares += centred[i] * centred[i];
  }
  if (!(squares > 0)) return 0;
  const double r = products / squares;
  return std::clamp(r + (1 + 4 * r) / static_cast<double>(n), 0.0, most_correlation);
}

std::optional<Interval> median_interval(std::span<const double> values, double miss, double correlation) {
  const auto n = values.size();
  const auto below = count_below(n, correlation);
  std::size_t k = 0;
  double kept_miss = 0;
  double tail = below.empty() ? 1 : below[0];  // P(N <= k)
  while (k < n / 2 && 2 * tail <= miss) {
    kept_miss = 2 * tail;
    ++k;
    tail += below[k];
  }
  if (k == 0) return {};
  const auto ordered = sorted(values);
  return Interval{ordered[k - 1], ordered[n - k], kept_miss};
}

double half_sample_mode(std::span<const double> values) {
  if (values.empty()) throw Error("half_sample_mode: no values");
  return mode_of_sorted(sorted(values));
}

int bootstrap_block_length(int n) {
  int length = 1;
  while (length * length * length < n) ++length;
  return length;
}

std::optional<Interval> block_bootstrap_interval(std::span<const double> values,
                                                 const std::function<double(std::span<const double>)>& statistic,
                                                 double miss, std::uint64_t seed) {
  const auto n = values.size();
  if (n < least_for_interval || !(miss > 0)) return {};
  const auto length = static_cast<std::size_t>(bootstrap_block_length(static_cast<int>(n)));
  std::mt19937_64 random(seed);
  std::vector<double> resample(n);
  std::vector<double> statistics(resamples);
  for (double& result : statistics) {
    for (std::size_t filled = 0; filled < n;) {
      const std::size_t first = random() % n;  // n is far below 2^64: the remainder's bias is nothing
      for (std::size_t i = 0; i < length && filled < n; ++i) resample[filled++] = values[(first + i) % n];
    }
    result = statistic(resample);
  }
  std::sort(statistics.begin(), statistics.end());
  const auto outside = static_cast<std::size_t>(std::floor(miss / 2 * resamples));
  return Interval{statistics[outside], statistics[resamples - 1 - outside], miss};
}

}  // namespace gable::measure
