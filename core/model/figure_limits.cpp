#include "core/model/figure_limits.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/model/units.hpp"

namespace gable {

bool is_within(double figure, const FigureLimits& limits) { return figure >= limits.least && figure <= limits.most; }

const FigureLimits& limits_of_unit(std::string_view unit) {
  return unit == "s" ? time_limits : unit == "byte/s" ? byte_rate_limits : flop_rate_limits;
}

static bool is_unit_of_rows(std::string_view unit) {
  return unit == "s" || unit == "byte/s" || unit == "flop/s" || unit == "op/s";
}

const FigureLimits& limits_of_axis(std::string_view unit) {
  static constexpr FigureLimits any{-1e24, 1e24, "no curve goes beyond 1e24 in any unit"};
  if (unit == "byte") return traffic_limits;
  return is_unit_of_rows(unit) ? limits_of_unit(unit) : any;
}

std::string why_impossible(double figure, const FigureLimits& limits) {
  return is_within(figure, limits) ? std::string{} : fmt::format("{:.6g}: {}", figure, limits.words);
}

/// What a figure of the command line can be, by its unit.
static const FigureLimits& limits_of(std::string_view unit) {
  static constexpr FigureLimits plain{0, 1e31, "no figure of work is so large"};
  if (unit == "byte") return traffic_limits;
  if (unit == "flop" || unit == "op") return operation_limits;
  if (unit == "W") return power_limits;
  return is_unit_of_rows(unit) ? limits_of_unit(unit) : plain;
}

double parse_figure(std::string_view text, std::string_view unit, std::string_view form) {
  const double figure = parse_quantity(text, unit, form);
  if (const std::string why = why_impossible(figure, limits_of(unit)); !why.empty()) throw Error(why);
  return figure;
}

}  // namespace gable
