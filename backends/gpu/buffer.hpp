#pragma once
#include <cstddef>
#include <memory>

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

/// Memory of the current device, aligned to 256 bytes at least. Throws DeviceFailure if there is not enough.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes) : data_(allocate(bytes)), bytes_(bytes) {}

  std::size_t size_bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 private:
  struct Release {
    void operator()(void* data) const noexcept { release(data); }
  };
  std::unique_ptr<void, Release> data_;
  std::size_t bytes_{};
};

/// Memory on another device; the current one stays. The runtime frees by address, whichever device is current.
inline Buffer allocate_on(int device, std::size_t bytes) {
  const DeviceGuard guard(device);
  return Buffer(bytes);
}

}  // namespace gable::gpu
