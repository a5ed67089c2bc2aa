#include "core/analysis/device_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/analysis/what_if.hpp"
#include "core/device/product.hpp"
#include "core/error.hpp"
#include "core/model/standing.hpp"
#include "core/result/roofs.hpp"

namespace gable::analysis {
namespace {

/// What a device and a scope are called.
std::string title_of(const DeviceInfo& device, Scope scope) {
  return fmt::format("{} ({}), {}", device.name.empty() ? device.id : device.name, device.id, to_string(scope));
}

MachineExplained summary_of(const Result& result, const std::string& device, Scope scope) {
  MachineExplained summary;
  summary.machine = machine_of(result, device, scope);
  const auto info = std::ranges::find(result.devices, device, &DeviceInfo::id);
  summary.title = title_of(*info, scope);
  if (const auto* entry = catalogue::product(*info)) summary.catalogue_entry = entry->name;
  return summary;
}

}  // namespace

MachineExplained explain_point(const Result& result, const std::string& device, const std::string& id,
                               Operators operators, std::span<const Machine> others) {
  std::vector<Point> here;
  std::ranges::copy_if(result.points, std::back_inserter(here),
                       [&](const Point& point) { return point.device == device; });
  for (Point& point : here) {
    if (above_roof(point)) point.status = Status::ok;  // it is judged anew, and may be asked for
  }
  const Point& point = find_point(here, id);
  auto summary = summary_of(result, device, point.scope);
  summary.points.push_back(explain(result, point, operators, others));
  return summary;
}

MachineExplained explain_device(const Result& result, const std::string& device, Operators operators,
                                std::span<const Machine> others) {
  auto summary = summary_of(result, device, widest_scope(result, device));
  for (const Point& point : result.points) {
    if (point.device != device) continue;
    try {
      summary.points.push_back(explain(result, point, operators, others));
    } catch (const Error& error) {
      summary.without.emplace_back(error.what());
    }
  }
  std::ranges::stable_sort(summary.points, std::greater<>{},
                           [](const Explanation& answer) { return lost_s(answer.point); });
  return summary;
}

}  // namespace gable::analysis
