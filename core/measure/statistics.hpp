#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace gable::measure {

/// A confidence interval. `miss` bounds the probability that an interval made this way leaves the true value out.
struct Interval {
  double low{};
  double high{};
  double miss{};
};

/// Fewest values that any interval is made of: with 5, even [min, max] misses the median with probability 1/16.
inline constexpr int least_for_interval = 6;

/// Middle value, or mean of the two middle ones. Throws Error if there are none.
double median(std::span<const double> values);
/// The same; nothing if there are none.
std::optional<double> median_if_any(std::span<const double> values);

/// Lag-1 autocorrelation r of the ranks of consecutive samples (of ranks, so that no outlier dominates it), less its
/// bias -(1 + 4 r) / n (Kendall, Biometrika 41, 1954; Marriott & Pope, ibid.), within [0, 0.95]: alternating values do
/// not make an interval narrower. 0 for fewer than 3 values, or equal ones.
double serial_correlation(std::span<const double> values);

/// Distribution-free interval of the median from order statistics, [x(k), x(n+1-k)] with the largest k for which
/// 2 P(N < k) <= miss, N the number of values below the median; that probability is the interval's `miss`. Of
/// independent values N is Binomial(n, 1/2) (Hoefler & Belli, SC'15, section 3.1.3; David & Nagaraja, Order Statistics,
/// 3rd ed., section 7.1). With `correlation` r > 0 the sides of the median on which the values lie are taken for a
/// Markov chain that stays with probability (1 + r) / 2 (Gabriel, Biometrika 46, 1959), which makes the interval wider.
/// Nothing where no k >= 1 will do: for miss = 0.05 and r = 0 below 6 values, with r = 0.5 below 12.
std::optional<Interval> median_interval(std::span<const double> values, double miss = 0.05, double correlation = 0);

/// Half-sample mode: the densest half of the sorted values, then the densest half of that, until one or two are left;
/// their mean. Of equally dense halves the middle one counts. Throws Error if there are no values. Bickel & Fruehwirth,
/// Computational Statistics & Data Analysis 50(12), 2006.
double half_sample_mode(std::span<const double> values);

/// Length of the blocks of a moving-block bootstrap of n values: n^(1/3), rounded up.
/// Order of growth: Kuensch, Annals of Statistics 17(3), 1989; Hall, Horowitz & Jing, Biometrika 82(3), 1995.
int bootstrap_block_length(int n);

/// Percentile interval of a statistic by the moving-block bootstrap: resamples are put together from runs of
/// bootstrap_block_length(n) consecutive values, so that serial correlation is kept. Runs wrap round the end, so that
/// every value is drawn equally often (Politis & Romano, 1992). 2000 resamples; the same seed gives the same interval.
/// Nothing below 6 values. `miss` is nominal here: the bootstrap keeps it only approximately.
std::optional<Interval> block_bootstrap_interval(std::span<const double> values,
                                                 const std::function<double(std::span<const double>)>& statistic,
                                                 double miss = 0.05, std::uint64_t seed = 1);

}  // namespace gable::measure
