#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/result.hpp"
#include "core/result/row.hpp"

/// Limits that no figure of a real machine passes. They are far from anything that is only odd: that is for
/// plausibility() to say.
namespace gable::result {

/// What a figure can be, both ends included.
struct Limits {
  double least, most;
  std::string_view words;  ///< what is possible
};

/// How often a workload does one piece of work, at most.
inline constexpr double most_count = 1e15;

// The fastest machines of today do 1e18 flop/s, their caches give 1e16 byte/s and their memories hold 1e16 byte. What
// is built in the next twenty years may be ten thousand times that; a slip of the pen or of a unit is mostly more.
inline constexpr Limits time_limits{0, 3.2e7,
                                    "a time is positive, and no run of an operator or a kernel takes a year (3.2e7 s)"};
inline constexpr Limits size_limits{0, 1e18, "a size is not negative, and no memory holds an exabyte (1e18 byte)"};
inline constexpr Limits traffic_limits{0, 1e27, "bytes are not negative, and no memory moves 1e27 in a year"};
inline constexpr Limits operation_limits{0, 1e31, "operations are not negative, and no machine does 1e31 in a year"};
inline constexpr Limits flop_rate_limits{0, 1e24,
                                         "a rate of arithmetic is not negative, and no machine does 1e24 a second"};
inline constexpr Limits byte_rate_limits{0, 1e20,
                                         "a bandwidth is not negative, and no memory moves 1e20 byte a second"};
inline constexpr Limits clock_limits{0, 1e12, "a clock is not negative, and none ticks faster than 1 THz"};
inline constexpr Limits power_limits{0, 1e9, "a power is not negative, and no device draws a gigawatt"};

/// Those of figures of a unit of the format: s, byte/s, flop/s, op/s.
const Limits& limits_of_unit(std::string_view unit);
/// "1e+300: a bandwidth is not negative, and …"; empty for a figure within its limits.
std::string why_impossible(double figure, const Limits& limits);

/// A figure that cannot be.
struct Impossible {
  std::string where;  ///< JSON pointer
  std::string what;   ///< "-1: a time is positive, …"
  bool beside{};      ///< stands beside a measurement, which is sound without it: of a sensor, of theory
};

/// The figures of a document that cannot be, at most `most` of them: a result, a row, a line of a journal. Keys that
/// have no limit and rows that were not measured are passed over.
std::vector<Impossible> impossible_figures(const nlohmann::json& document, std::size_t most = 100);

/// The same of measured points that are more than ten thousand times as fast as the roofs of their own result allow,
/// whatever bound is stored with them.
std::vector<Impossible> impossible_points(const Result& result);

/// Throws Error "<pointer>: <figure>: <what is possible>" for the first of them that does not stand beside a
/// measurement.
void refuse_impossible(const nlohmann::json& document);
/// The same for the points.
void refuse_impossible(const Result& result);

/// Takes figures beside measurements that cannot be out of the rows, and says in the notes which and of how many rows.
void drop_impossible(Result& result);

/// Makes a measured row with such a figure an error row, with the reason: what is written can be read again. Of figures
/// beside the measurement only these go.
void fail_impossible(Row& row);
void fail_impossible(Result& result);

}  // namespace gable::result
