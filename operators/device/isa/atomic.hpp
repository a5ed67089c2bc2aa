#pragma once
#include <Kokkos_Core.hpp>
#include <cstdint>

#include "operators/device/function.hpp"

namespace gable::device {

/// Adds 1 to what lies in a team's scratch memory, whichever thread does. Kokkos' addition names no address space, so
/// NVIDIA's compiler makes of it one for any memory: 94.7 us instead of 83.5 for 7.9e7 keys of a histogram on an H200.
GABLE_FUNCTION void add_one_in_scratch(std::int32_t* count) {
#if defined(__CUDA_ARCH__)
  atomicAdd(count, 1);
#else
  Kokkos::atomic_add(count, 1);
#endif
}

}  // namespace gable::device
