#include "core/result/roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

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
    if (row.device == device && !row.imported) widest = std::min(widest.value_or(row.scope), row.scope);
  }
  return widest.value_or(Scope::node);
}

bool has_ceilings(const Result& result, const std::string& device, Scope scope) {
  return std::ranges::any_of(result.ceilings, [&](const Ceiling& row) {
    return !row.imported && row.status == Status::ok && row.device == device && row.scope == scope;
  });
}

void set_verdicts(Result& result, std::span<const Ceiling> borrowed) {
  Result roofs;
  roofs.devices = result.devices;
  roofs.ceilings = result.ceilings;
  roofs.ceilings.insert(roofs.ceilings.end(), borrowed.begin(), borrowed.end());
  std::map<std::pair<std::string, Scope>, Roofline> rooflines;  // profilers give many points of one device
  for (Point& point : result.points) {
    if (point.status != Status::ok && point.status != Status::suspect) continue;
    if (point.bound_s && !has_ceilings(roofs, point.device, point.scope)) continue;  // judged elsewhere
    const std::pair key{point.device, point.scope};
    auto roofline = rooflines.find(key);
    if (roofline == rooflines.end())
      roofline = rooflines.emplace(key, roofline_of(roofs, point.device, point.scope)).first;
    set_verdict(point, roofline->second);
  }
}

}  // namespace gable
