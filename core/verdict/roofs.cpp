#include "core/verdict/roofs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable {

Roofline roofline_of(const Result& result, const std::string& device, Scope scope) {
  const auto found = std::ranges::find(result.devices, device, &DeviceInfo::id);
  if (found == result.devices.end()) throw Error(fmt::format("device '{}' is not in this result", device));
  return gable::roofline_of(result.ceilings, *found, scope, result.curves);
}

PointRoofs::PointRoofs(std::span<const DeviceInfo> devices, std::span<const Ceiling> ceilings,
                       std::span<const Curve> curves)
    : devices_(devices), ceilings_(ceilings), curves_(curves) {}

const PointRoofs::Roofs* PointRoofs::find(const Point& point) {
  const std::pair key{point.device, point.scope};
  const auto known = made_.find(key);
  if (known != made_.end()) return &known->second;
  const auto device = std::ranges::find(devices_, point.device, &DeviceInfo::id);
  if (device == devices_.end()) return nullptr;
  Roofs roofs{gable::roofline_of(ceilings_, *device, point.scope, curves_),
              MemorySpeed(ceilings_, *device, point.scope)};
  return &made_.emplace(key, std::move(roofs)).first->second;
}

const Roofline* PointRoofs::of(const Point& point) {
  const Roofs* roofs = find(point);
  return roofs ? &roofs->roofline : nullptr;
}

std::optional<ByRounds> PointRoofs::by_rounds(const Point& point) {
  const Roofs* roofs = find(point);
  if (!roofs) return {};
  return roofs->memory.judge(point, roofs->roofline);
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

void set_verdicts(Result& result, std::span<const Ceiling> borrowed, std::span<const Curve> borrowed_curves) {
  Result roofs;
  roofs.devices = result.devices;
  roofs.ceilings = result.ceilings;
  roofs.ceilings.insert(roofs.ceilings.end(), borrowed.begin(), borrowed.end());
  roofs.curves = result.curves;
  roofs.curves.insert(roofs.curves.end(), borrowed_curves.begin(), borrowed_curves.end());
  PointRoofs point_roofs(roofs.devices, roofs.ceilings, roofs.curves);
  for (Point& point : result.points) {
    if (point.status != Status::ok && point.status != Status::suspect) continue;
    if (point.bound_s && !has_ceilings(roofs, point.device, point.scope)) continue;  // judged elsewhere
    const Roofline* roofline = point_roofs.of(point);
    if (!roofline) throw Error(fmt::format("device '{}' is not in this result", point.device));
    set_verdict(point, *roofline, point_roofs.by_rounds(point));
  }
}

}  // namespace gable
