#include "core/model/figure_limits.hpp"

#include <fmt/format.h>

namespace gable {

bool is_within(double figure, const FigureLimits& limits) { return figure >= limits.least && figure <= limits.most; }

const FigureLimits& limits_of_unit(std::string_view unit) {
  return unit == "s" ? time_limits : unit == "byte/s" ? byte_rate_limits : flop_rate_limits;
}

std::string why_impossible(double figure, const FigureLimits& limits) {
  return is_within(figure, limits) ? std::string{} : fmt::format("{:.6g}: {}", figure, limits.words);
}

}  // namespace gable
