#include "core/device/plannable_memory.hpp"

#include <algorithm>
#include <cstddef>

namespace gable {

double plannable_memory_bytes(const DeviceInfo& device) {
  if (device.free_memory_bytes > 0 || device.memory.empty()) return device.free_memory_bytes;
  return device.memory.back().size_bytes * device.memory.back().instances;
}

double run_memory_bytes(const DeviceInfo& device) { return plannable_memory_bytes(device) / 4; }

double main_memory_set_bytes(const DeviceInfo& device) {
  constexpr double least = 64.0 * 1024 * 1024;
  double caches = 0;
  for (std::size_t i = 0; i + 1 < device.memory.size(); ++i)
    caches += device.memory[i].size_bytes * device.memory[i].instances;
  const double plannable = plannable_memory_bytes(device);
  const double bytes = std::max(5 * caches, least);
  return plannable > 0 ? std::min(bytes, plannable / 8) : bytes;
}

}  // namespace gable
