#pragma once
#include "backends/gpu/kernels/kernels.hpp"
#include "gpu_device.hpp"

namespace gable::gpu {

/// Stamps the life of a kernel: made first, finish() called last. Launches of one stream come one after another, so the
/// sum needs no atomics.
class Stamped {
 public:
  __device__ Stamped() : cycles_(cycles_now()), ticks_(ticks_now()) {}
  __device__ void finish(ClockStamp* stamp) const {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    stamp->cycles += cycles_now() - cycles_;
    stamp->ticks += ticks_now() - ticks_;
  }

 private:
  std::uint64_t cycles_, ticks_;
};

}  // namespace gable::gpu
