#include "core/analysis/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.hpp"

namespace gable::analysis {

Roofline roofline_of(const Result& result, const std::string& device, Scope scope) {
  const auto found = std::find_if(result.devices.begin(), result.devices.end(),
                                  [&](const DeviceInfo& info) { return info.id == device; });
  if (found == result.devices.end()) throw Error(fmt::format("device '{}' is not in this result", device));
  return gable::roofline_of(result.ceilings, *found, scope);
}

Scope widest_scope(const Result& result, const std::string& device) {
  std::optional<Scope> widest;  // Scope counts from wide to narrow
  for (const Ceiling& row : result.ceilings) {
    if (row.device == device) widest = std::min(widest.value_or(row.scope), row.scope);
  }
  return widest.value_or(Scope::node);
}

void place_points(Result& result) {
  for (Point& point : result.points) {
    if (point.status == Status::ok) place(point, roofline_of(result, point.device, point.scope));
  }
}

}  // namespace gable::analysis
