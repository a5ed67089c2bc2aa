#pragma once
#include <cuda_runtime.h>

#include <cstdint>

/// What kernels of backends/gpu need beyond C++, as inline device functions; backends/hip has the same for HIP.
namespace gable::gpu {

/// What __launch_bounds__ is told so that `blocks` of `threads` fit into a multiprocessor: CUDA counts blocks.
constexpr int resident_hint(int /*threads*/, int blocks) { return blocks; }

/// Cycles of this multiprocessor.
__device__ inline std::uint64_t cycles_now() { return static_cast<std::uint64_t>(clock64()); }

/// Time of the whole device, in ticks of a nanosecond (tick_hz()); moves in steps of up to a microsecond.
__device__ inline std::uint64_t ticks_now() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

/// Nothing is moved across it; volatile loads stay before their uses anyway.
__device__ inline void keep_order() {}

/// 16 bytes through every cache. Volatile: never merged with another load, never dropped.
__device__ inline uint4 load_cached(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
  return v;
}

/// 16 bytes that no first-level cache holds: they come from L2 or from beyond it.
__device__ inline uint4 load_past_l1(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
  return v;
}

__device__ inline double2 as_doubles(const uint4& v) {
  return double2{__hiloint2double(static_cast<int>(v.y), static_cast<int>(v.x)),
                 __hiloint2double(static_cast<int>(v.w), static_cast<int>(v.z))};
}

/// 16 bytes of shared memory.
__device__ inline uint4 load_shared(const uint4* from) {
  uint4 v;
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(address));
  return v;
}

/// The next link of a chain, from the level named.
__device__ inline std::uint64_t follow_cached(std::uint64_t at) {
  std::uint64_t next;
  asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at));
  return next;
}
__device__ inline std::uint64_t follow_past_l1(std::uint64_t at) {
  std::uint64_t next;
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at));
  return next;
}
__device__ inline std::uint32_t follow_shared(std::uint32_t at) {
  std::uint32_t next;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(at));
  return next;
}
/// Address of shared memory as follow_shared takes it.
__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Has a multiprocessor give all of its first-level memory, or as little as it can, to be shared memory while the
/// kernel runs; left to the driver, blocks that fit may not be resident together.
inline cudaError_t prefer_shared_memory(const void* kernel, bool all) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                              all ? cudaSharedmemCarveoutMaxShared : cudaSharedmemCarveoutMaxL1);
}

}  // namespace gable::gpu
