#pragma once
#include <string>
#include <string_view>

/// Limits no real machine exceeds. Values that are only unusual lie well inside; plausibility() reports those.
namespace gable {

/// What a figure can be, both ends included.
struct FigureLimits {
  double least, most;
  std::string_view words;  ///< what is possible
};

/// How often a workload does one piece of work, at most.
inline constexpr double most_count = 1e15;

// The fastest machines of today do 1e18 flop/s, their caches give 1e16 byte/s and their memories hold 1e16 byte. What
// is built in the next twenty years may be ten thousand times that; a typo or a wrong unit is mostly off by more.
inline constexpr FigureLimits time_limits{
    0, 3.2e7, "a time is positive, and no run of an operator or a kernel takes a year (3.2e7 s)"};
inline constexpr FigureLimits size_limits{0, 1e18,
                                          "a size is not negative, and no memory holds an exabyte (1e18 byte)"};
inline constexpr FigureLimits traffic_limits{0, 1e27, "bytes are not negative, and no memory moves 1e27 in a year"};
inline constexpr FigureLimits operation_limits{0, 1e31,
                                               "operations are not negative, and no machine does 1e31 in a year"};
inline constexpr FigureLimits flop_rate_limits{
    0, 1e24, "a rate of arithmetic is not negative, and no machine does 1e24 a second"};
inline constexpr FigureLimits byte_rate_limits{0, 1e20,
                                               "a bandwidth is not negative, and no memory moves 1e20 byte a second"};
inline constexpr FigureLimits clock_limits{0, 1e12, "a clock is not negative, and none ticks faster than 1 THz"};
inline constexpr FigureLimits power_limits{0, 1e9, "a power is not negative, and no device draws a gigawatt"};

bool is_within(double figure, const FigureLimits& limits);
/// Those of figures of a unit of the format: s, byte/s, flop/s, op/s.
const FigureLimits& limits_of_unit(std::string_view unit);
/// "1e+300: a bandwidth is not negative, and …"; empty for a figure within its limits.
std::string why_impossible(double figure, const FigureLimits& limits);

/// parse_quantity() of a figure that somebody states. Throws Error for one that no machine has, too.
double parse_figure(std::string_view text, std::string_view unit);

}  // namespace gable
