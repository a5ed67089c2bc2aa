#include "tests/gpu/dealt_blocks.hpp"

#include <hip/hip_runtime.h>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu::test {
namespace {

/// All 32 bits of a hardware register, as s_getreg_b32 wants them asked for.
constexpr int whole_register(int number) { return 31 << 11 | number; }

__device__ HardwareId here() {
#if defined(__GFX11__)
  return {__builtin_amdgcn_s_getreg(whole_register(23)), 0};
#elif defined(__gfx942__) || defined(__gfx950__)
  return {__builtin_amdgcn_s_getreg(whole_register(4)), __builtin_amdgcn_s_getreg(whole_register(20))};
#else
  return {__builtin_amdgcn_s_getreg(whole_register(4)), 0};
#endif
}

/// Every step waits for the one before (xorshift); the compiler does not know that nothing is ever stored of them.
__global__ void __launch_bounds__(256) dealt_kernel(HardwareId* places, int steps, std::uint32_t* never) {
  std::uint32_t x = threadIdx.x + 1;
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  if (threadIdx.x == 0) places[blockIdx.x] = here();
  if (never != nullptr) *never = x;
}

}  // namespace

std::vector<HardwareId> dealt_blocks(int blocks, std::size_t shared_bytes) {
  constexpr int steps = 1 << 15;
  std::vector<HardwareId> places(static_cast<std::size_t>(blocks));
  const std::size_t bytes = places.size() * sizeof(HardwareId);
  const Buffer on_device(bytes);
  dealt_kernel<<<blocks, 256, shared_bytes, nullptr>>>(on_device.as<HardwareId>(), steps, nullptr);
  check_launch("kernel that says where it runs");
  copy_async(places.data(), on_device.as<void>(), bytes, Copy::to_host, nullptr);
  synchronize(Stream{});
  return places;
}

}  // namespace gable::gpu::test
