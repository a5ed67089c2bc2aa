#include "backends/gpu/rates.hpp"

#include <algorithm>

#include "backends/gpu/rate_table.hpp"

namespace gable::gpu {

std::optional<Rate> rate(const DeviceFacts& device, Unit unit, DType storage, DType accumulate) {
  const auto entries = device.isa.starts_with("gfx") ? amd_rates() : nvidia_rates();
  const auto found = std::ranges::find_if(entries, [&](const RateEntry& entry) {
    return entry.isa == device.isa && entry.unit == unit && entry.storage == storage && entry.accumulate == accumulate;
  });
  if (found == entries.end()) return {};
  const bool halved = found->half_on_geforce && device.name.find("GeForce") != std::string::npos;
  return Rate{found->per_cycle / (halved ? 2.0 : 1.0), found->source};
}

double theory(const DeviceFacts& device, const Rate& rate, double clock_hz) {
  return device.multiprocessors * rate.per_cycle * clock_hz;
}

}  // namespace gable::gpu
