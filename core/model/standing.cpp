#include "core/model/standing.hpp"

#include <fmt/format.h>

#include "core/model/units.hpp"

namespace gable {
namespace {
constexpr double tolerated = 1.01;
}

Standing standing(double time_s, double slowest_s, std::span<const Stage> stages, const Types& types, bool cold,
                  const Roofline& roofline) {
  const auto bound = roofline.judge(stages, types, cold).bound;
  if (!bound || bound->time_s <= time_s) return Standing::under_roof;
  const auto least = roofline.at_highest().judge(stages, types, cold).bound;
  return least->time_s > tolerated * slowest_s ? Standing::above_roof : Standing::at_roof;
}

Standing standing(const Point& point, const Roofline& roofline) {
  return standing(point.time.value, point.time.ci_high.value_or(point.time.value), point.stages, point.types,
                  point.cold, roofline);
}

bool above_roof(const Point& point) { return point.status == Status::suspect && point.bound_s; }

bool has_time(const Point& point) { return point.status == Status::ok || above_roof(point); }

std::string above_roof_words(const Point& point, const std::string& roof) {
  return fmt::format(
      "{} takes {}, but {} allows {} at best, beyond both intervals: the roof was measured too low (other "
      "work "
      "on the machine?), or not all of the point's work was done or timed",
      point.op.empty() ? point.id : point.op, format_quantity(point.time.value, "s"),
      roof.empty() ? "its bound" : "its roof " + roof, format_quantity(point.bound_s.value_or(0), "s"));
}

std::string share_of_bound(double fraction, Standing standing) {
  if (standing == Standing::above_roof) return "suspect";
  return standing == Standing::at_roof ? "100 % (at its roof)" : fmt::format("{:.1f} %", 100 * fraction);
}

std::string share_of_bound(const Point& point) {
  if (!point.fraction_of_limit) return {};
  const bool above = above_roof(point);
  return share_of_bound(*point.fraction_of_limit, above                          ? Standing::above_roof
                                                  : *point.fraction_of_limit > 1 ? Standing::at_roof
                                                                                 : Standing::under_roof);
}

}  // namespace gable
