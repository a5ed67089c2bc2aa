#pragma once
#include "backends/gpu/kernels/kernels.hpp"
#include "gpu_device.hpp"

namespace gable::gpu {

/// Both counters at one moment. Warps that always have an instruction ready keep another one from being issued for some
/// ten microseconds, between two readings too: these are taken again until they lie close together.
__device__ inline ClockStamp clock_stamp_now() {
  constexpr std::uint64_t close = 1000;  // cycles; the time counter's own steps are as coarse
  constexpr int most_readings = 64;
  ClockStamp closest{};
  std::uint64_t apart = ~std::uint64_t{0};
  auto before = cycles_now();
#pragma unroll 1
  for (int i = 0; i < most_readings && apart > close; ++i) {
    const auto ticks = ticks_now();
    const auto after = cycles_now();
    if (after - before < apart) {
      apart = after - before;
      closest = {before + apart / 2, ticks};
    }
    before = after;
  }
  return closest;
}

/// Stamps the life of a kernel: made first, finish() called last. Launches of one stream come one after another, so the
/// sum needs no atomics.
class Stamped {
 public:
  __device__ Stamped() {
    if (is_first()) begin_ = clock_stamp_now();
  }
  __device__ void finish(ClockStamp* stamp) const {
    if (!is_first()) return;
    const auto end = clock_stamp_now();  // before memory is waited for
    stamp->cycles += end.cycles - begin_.cycles;
    stamp->ticks += end.ticks - begin_.ticks;
  }

 private:
  __device__ static bool is_first() { return blockIdx.x == 0 && threadIdx.x == 0; }
  ClockStamp begin_{};
};

}  // namespace gable::gpu
