#pragma once
#include <string>
#include <string_view>
#include <type_traits>

/// Limits no real machine exceeds. Values that are only unusual lie well inside; plausibility() reports those. Each
/// number of the result format has its limits where its key stands, in fields() (core/result/fields.hpp).
namespace gable {

/// What a figure can be, both ends included.
struct FigureLimits {
  double least, most;
  std::string_view words;  ///< what is possible
  bool is_beside{};        ///< optional side figure (of a sensor, of theory); dropping it keeps the row
  bool is_needed{};        ///< a row that was measured has this number

  constexpr FigureLimits beside() const { return {least, most, words, true, is_needed}; }
  constexpr FigureLimits needed() const { return {least, most, words, is_beside, true}; }
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
inline constexpr FigureLimits count_limits{
    0, most_count, "a count is not negative, and no workload does one thing more than 1e15 times"};
inline constexpr FigureLimits part_limits{0, 1e9,
                                          "a number of parts is not negative, and no device has a billion of them"};
inline constexpr FigureLimits bound_limits{
    0, 1e4 * time_limits.most, "a least time is not negative, and nothing is ten thousand times faster than it"};
inline constexpr FigureLimits fraction_limits{
    0, 1e4, "a fraction is not negative, and nothing is ten thousand times what its limit allows"};
inline constexpr FigureLimits temperature_limits{-273.15, 1000,
                                                 "no chip is colder than absolute zero or hotter than 1000 degrees"};
inline constexpr FigureLimits part_of_whole_limits{0, 1, "no part is more than the whole"};
inline constexpr FigureLimits slowdown_limits{
    0, 1e12, "a slowdown is not negative, and nothing that ends is 1e12 times as slow"};
inline constexpr FigureLimits cpu_time_limits{0, 1e16, "CPU time is not negative, and no run has 1e16 s of it"};
inline constexpr FigureLimits moment_limits{0, 1e11, "no run was before 1970 or is after the year 5000"};
/// Stands for those of the unit of the row that the figure is of.
inline constexpr FigureLimits limits_of_row{0, 0, ""};

bool is_within(double figure, const FigureLimits& limits);
/// Those of figures of a unit of the format: s, byte/s, flop/s, op/s.
const FigureLimits& limits_of_unit(std::string_view unit);
/// Those of an axis of a curve, by its unit.
const FigureLimits& limits_of_axis(std::string_view unit);
/// "1e+300: a bandwidth is not negative, and …"; empty for a figure within its limits.
std::string why_impossible(double figure, const FigureLimits& limits);

/// parse_quantity() of a figure that somebody states. Throws Error for one that no machine has, too.
double parse_figure(std::string_view text, std::string_view unit, std::string_view form = {});

/// A number among the fields() of a struct: an archive that judges figures gets the limits, too.
template <class A, class T>
void number(A& archive, const char* key, T& value, const FigureLimits& limits) {
  if constexpr (requires { archive.number(key, value, limits); })
    archive.number(key, value, limits);
  else
    archive.field(key, value);
}
/// One that is hardly ever other than `usual`, and then has no key.
template <class A, class T>
void unusual_number(A& archive, const char* key, T& value, const std::type_identity_t<std::remove_const_t<T>>& usual,
                    const FigureLimits& limits) {
  if constexpr (requires { archive.number(key, value, limits); })
    archive.number(key, value, limits);
  else
    archive.unusual_field(key, value, usual);
}

}  // namespace gable
