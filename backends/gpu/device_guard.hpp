#pragma once
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// Makes a device the current one for as long as it lives, then again the one that was, also when an exception leaves.
class DeviceGuard {
 public:
  /// Throws DeviceFailure if the device cannot be chosen; the current one is then as before.
  explicit DeviceGuard(int device) : DeviceGuard() { set_device(device); }
  ~DeviceGuard() { return_to_device(before_); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  /// Done before the device is chosen, so that the destructor runs if that fails.
  DeviceGuard() : before_(current_device()) {}

  int before_;
};

}  // namespace gable::gpu
