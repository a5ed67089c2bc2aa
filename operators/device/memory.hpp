#pragma once
#include "operators/device/function.hpp"

namespace gable::device {

/// Asks for the cache line at an address that will soon be read or written. Any address is allowed, also one beyond the
/// end of an array. GPUs hide latency by other threads: nothing there.
GABLE_FUNCTION void prefetch_read([[maybe_unused]] const void* address) {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  __builtin_prefetch(address, 0, 3);
#endif
}
GABLE_FUNCTION void prefetch_write([[maybe_unused]] const void* address) {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  __builtin_prefetch(address, 1, 3);
#endif
}

}  // namespace gable::device
