#include "core/device/device_info.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace gable {
namespace {

/// Into how many equal parts of this scope the device falls.
int parts(const DeviceInfo& device, Scope scope) {
  switch (scope) {
    case Scope::node:
      return 1;
    case Scope::socket:
      return std::max(1, device.sockets);
    case Scope::numa:
      return std::max(1, static_cast<int>(device.numa.size()));
    case Scope::core:
      break;
  }
  return std::max(1, device.cores);
}

int ceil_div(int a, int b) { return (a + b - 1) / b; }

}  // namespace

std::vector<Level> levels_of(const DeviceInfo& device, Scope scope, int threads) {
  if (threads < 0) throw Error(fmt::format("device {}: {} threads", device.id, threads));
  const int split = parts(device, scope);
  const int scope_cores = std::max(1, ceil_div(device.cores, split));
  const int used = threads == 0 ? scope_cores : std::min(threads, scope_cores);
  std::vector<Level> levels;
  for (const MemoryLevel& level : device.memory) {
    if (&level == &device.memory.back()) {
      levels.push_back({level.name, 0});
      break;
    }
    const int here = std::max(1, ceil_div(level.instances, split));
    const int reached = std::min(here, ceil_div(used, std::max(1, level.shared_by)));
    levels.push_back({level.name, level.size_bytes * reached});
  }
  return levels;
}

}  // namespace gable
