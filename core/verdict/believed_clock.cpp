#include "core/verdict/believed_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/model/units.hpp"

namespace gable::verdict {
namespace {

/// Whether the row had a clock that its device cannot have run at; it has none any more.
bool drop(Conditions& conditions, Estimate& estimate, const DeviceInfo& device) {
  if (!device.max_clock_hz || !conditions.clock_hz) return false;
  const double most = most_of_highest_clock * *device.max_clock_hz;
  if (*conditions.clock_hz <= most) return false;
  conditions.clock_source = fmt::format("not believed: {} by {}, more than {:g} x the device's highest, {}",
                                        format_quantity(*conditions.clock_hz, "Hz"), conditions.clock_source,
                                        most_of_highest_clock, format_quantity(*device.max_clock_hz, "Hz"));
  conditions.clock_hz.reset();
  estimate.clock_hz.reset();
  return true;
}

}  // namespace

void drop_impossible_clocks(Result& result) {
  const auto device_of = [&](const auto& row) {
    return std::ranges::find(result.devices, row.device, &DeviceInfo::id);
  };
  for (Ceiling& row : result.ceilings) {
    const auto device = device_of(row);
    if (device != result.devices.end() && drop(row.conditions, row.value, *device)) row.theory_at_clock.reset();
  }
  for (Point& row : result.points) {
    const auto device = device_of(row);
    if (device != result.devices.end()) drop(row.conditions, row.time, *device);
  }
}

}  // namespace gable::verdict
