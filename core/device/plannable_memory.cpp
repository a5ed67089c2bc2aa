#include "core/device/plannable_memory.hpp"

namespace gable {

double plannable_memory_bytes(const DeviceInfo& device) {
  if (device.free_memory_bytes > 0 || device.memory.empty()) return device.free_memory_bytes;
  return device.memory.back().size_bytes * device.memory.back().instances;
}

}  // namespace gable
