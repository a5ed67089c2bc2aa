#pragma once
#include <cstddef>

#include "backends/gpu/failure.hpp"

/// What backends/gpu/device_guard.hpp and buffer.hpp need of a vendor's runtime, of two devices that are plain data.
namespace gable::gpu {

struct FakeRuntime {
  int current{};
  bool full{};    ///< no device has memory left
  bool broken{};  ///< a device that is chosen becomes the current one and fails, as one whose context does not start
};
inline FakeRuntime fake_runtime;

inline int current_device() { return fake_runtime.current; }
inline void set_device(int index) {
  fake_runtime.current = index;
  if (fake_runtime.broken) throw DeviceFailure("choosing the device");
}
inline void return_to_device(int index) noexcept { fake_runtime.current = index; }
inline void* allocate(std::size_t bytes) {
  if (fake_runtime.full) throw DeviceFailure("allocating device memory");
  return ::operator new(bytes);
}
inline void release(void* pointer) noexcept { ::operator delete(pointer); }

}  // namespace gable::gpu
