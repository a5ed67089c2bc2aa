#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/model/answer.hpp"
#include "core/questions/compare/subject.hpp"

namespace gable::questions {

/// What the steps of a trend are: every run by its date, or all runs of one driver (of a CPU, of one kernel of the
/// operating system) or of one build of the worker together.
enum class TrendStep { date, driver, build };
constexpr auto names_of(TrendStep) { return names_up_to<TrendStep::build>("date", "driver", "build"); }
using gable::to_string;

/// How much the band of a row is widened on both sides: quiet repeats of one machine stay within it.
inline constexpr double default_trend_tolerance = 0.05;

/// One step: some runs of the machine, taken together as repeats.
struct TrendRuns {
  std::string label;       ///< date and time, driver or build
  std::string started_at;  ///< of the first of them
  std::vector<std::string> files;
  std::vector<std::string> changed{};  ///< beside the figures, since the step before
};

/// A quantity over the steps. Its band at a step reaches from the lowest to the highest end of the intervals of all
/// steps before that lay in their bands, and further by the tolerance. A figure has left the band when its whole
/// interval lies outside.
struct TrendRow {
  std::string name;  ///< fom_name()
  std::string unit;
  std::vector<std::optional<Figure>> figures;  ///< one a step
  struct Departure {
    std::size_t step{};
    double low{}, high{};  ///< the band that was left
    double speed{};        ///< of the figure beside the median of those in the band before: below 1 is slower
  };
  std::vector<Departure> departures{};  ///< of every step outside its band

  /// Outside the band in the last step that has a figure.
  bool is_out() const;
};

struct Trend {
  std::string device;            ///< its id and name
  std::vector<TrendRuns> steps;  ///< in the order of their first dates
  std::vector<TrendRow> rows;

  /// How many rows are in two steps or more.
  std::ptrdiff_t judged() const;
  /// Whether some row is out of its band on the slow side.
  bool slower() const;
};

/// Throws Error unless the results are of one device of one host, in at least two steps.
Trend trend_of(std::span<const NamedResult> sources, TrendStep step, double tolerance = default_trend_tolerance);
Answer answer_of(const Trend& trend, TrendStep step, double tolerance);

}  // namespace gable::questions
