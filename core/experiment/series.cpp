#include "core/experiment/series.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/standing.hpp"
#include "core/operator.hpp"

namespace gable::experiment {

std::string Series::subject() const {
  return fmt::format("{} {}, {}, {}", op, to_string(types.a), implementation, device);
}

std::vector<Series> series_of(const Result& result, std::string_view op) {
  std::vector<Series> all;
  for (const Point& point : result.points) {
    if (point.op != op || !has_time(point) || point.cold) continue;
    const auto same = [&](const Series& one) {
      return one.device == point.device && one.scope == point.scope && one.implementation == point.implementation &&
             one.types == point.types;
    };
    auto found = std::ranges::find_if(all, same);
    if (found == all.end()) {
      found = all.insert(found, {point.device, point.scope, point.op, point.implementation, point.types, {}});
    }
    found->points.push_back(&point);
  }
  return all;
}

std::optional<double> bound_s(const Roofline& roofline, const Point& point) {
  const auto bound = roofline.judge(point.stages, point.types, point.cold).bound;
  return bound ? std::optional(bound->time_s) : std::nullopt;
}

double size_of(const Point& point, std::string_view name) {
  return static_cast<double>(Params::parse(point.params).at(name));
}

}  // namespace gable::experiment
