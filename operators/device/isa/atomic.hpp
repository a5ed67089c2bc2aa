#pragma once
#include <Kokkos_Core.hpp>
#include <cstdint>

#include "operators/device/function.hpp"

namespace gable::device {

/// Adds 1 to what lies in a team's scratch memory, whichever thread does. Kokkos' addition names no address space, so
/// NVIDIA's compiler makes of it one for any memory: on an H200 7.9e7 keys, of which a thread counts 16 at a time, take
/// 94.7 us with it and 83.5 with this.
GABLE_FUNCTION void add_one_in_scratch(std::int32_t* count) {
#if defined(__CUDA_ARCH__)
  atomicAdd(count, 1);
#else
  Kokkos::atomic_add(count, 1);
#endif
}

}  // namespace gable::device
