#include "core/analysis/place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace gable::analysis {

Roofline roofline_of(const Result& result, const std::string& device, Scope scope) {
  const auto found = std::find_if(result.devices.begin(), result.devices.end(),
                                  [&](const DeviceInfo& info) { return info.id == device; });
  if (found == result.devices.end()) throw Error(fmt::format("device '{}' is not in this result", device));
  int threads = 1;
  for (const Ceiling& row : result.ceilings) {
    if (row.device == device && row.scope == scope) threads = std::max(threads, row.threads);
  }
  return make_roofline(result.ceilings, device, scope, levels_of(*found, scope, threads));
}

void place_points(Result& result) {
  for (Point& point : result.points) {
    if (point.status == Status::ok) place(point, roofline_of(result, point.device, point.scope));
  }
}

}  // namespace gable::analysis
