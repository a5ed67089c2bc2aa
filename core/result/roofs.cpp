#include "core/result/roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/model/measured_judgement.hpp"

namespace gable {

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

bool has_ceilings(const Result& result, const std::string& device, Scope scope) {
  return std::ranges::any_of(result.ceilings, [&](const Ceiling& row) {
    return row.status == Status::ok && row.device == device && row.scope == scope;
  });
}

void set_verdicts(Result& result, std::span<const Ceiling> borrowed) {
  Result roofs;
  roofs.devices = result.devices;
  roofs.ceilings = result.ceilings;
  roofs.ceilings.insert(roofs.ceilings.end(), borrowed.begin(), borrowed.end());
  for (Point& point : result.points) {
    if (point.status != Status::ok && point.status != Status::suspect) continue;
    const bool judged_elsewhere = point.bound_s && !has_ceilings(roofs, point.device, point.scope);
    if (!judged_elsewhere) set_verdict(point, roofline_of(roofs, point.device, point.scope));
  }
}

}  // namespace gable
