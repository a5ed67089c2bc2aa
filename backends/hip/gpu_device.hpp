#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

/// What kernels of backends/gpu need beyond C++, as inline device functions; backends/cuda has the same for CUDA.
///
/// Loads are plain ones through pointers that the compiler knows nothing of: an empty volatile statement hands each of
/// them back. So none is merged with another or moved out of a loop, and the compiler still schedules them and the
/// waits for them, which instructions written out by hand would have to do themselves.
namespace gable::gpu {

using Words4 = std::uint32_t __attribute__((ext_vector_type(4)));

/// What __launch_bounds__ is told so that `blocks` of `threads` fit into a multiprocessor: HIP counts waves on each of
/// the four SIMDs of a compute unit (RDNA: workgroup processor).
constexpr int resident_hint(int threads, int blocks) {
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
  constexpr int lanes = 32;
#else
  constexpr int lanes = 64;
#endif
  constexpr int simds = 4;
  return threads * blocks / (lanes * simds);
}

template <class T>
__device__ inline T unknown(T value) {
  asm volatile("" : "+v"(value));
  return value;
}

#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
/// RDNA counts cycles in 20 bits: they wrap within a millisecond, so there is no clock.
__device__ inline std::uint64_t cycles_now() { return 0; }
__device__ inline std::uint64_t ticks_now() { return 0; }
#else
/// Cycles of the shader engines (s_memtime).
__device__ inline std::uint64_t cycles_now() { return static_cast<std::uint64_t>(clock64()); }

/// Time of the whole device, in ticks of s_memrealtime, of which the host knows how many are a second (tick_hz()).
__device__ inline std::uint64_t ticks_now() { return static_cast<std::uint64_t>(wall_clock64()); }
#endif

/// Nothing is moved across it: otherwise the compiler would use loads of LDS, whose latency is short, one by one.
__device__ inline void keep_order() { __builtin_amdgcn_sched_barrier(0); }

/// 16 bytes of global memory.
__device__ inline uint4 load_cached(const uint4* from) {
  using Global = const __attribute__((address_space(1))) Words4*;
  const Words4 v = *reinterpret_cast<Global>(unknown(reinterpret_cast<std::uint64_t>(from)));
  return uint4{v.x, v.y, v.z, v.w};
}

/// The same: streams are so much larger than a compute unit's 16 or 32 KiB of L1 that nothing of a pass is left there.
/// RDNA has another cache between L1 and L2, for some ten compute units: its rows of L2 may be those of that one.
__device__ inline uint4 load_past_l1(const uint4* from) { return load_cached(from); }

/// Loaded as doubles, not as words: otherwise the compiler loads each double again on its own.
__device__ inline double2 as_doubles(const uint4& v) {
  using Doubles = double __attribute__((ext_vector_type(2)));
  const auto both = __builtin_bit_cast(Doubles, Words4{v.x, v.y, v.z, v.w});
  return double2{both.x, both.y};
}

/// Address of LDS as follow_shared takes it.
__device__ inline std::uint32_t shared_address(const void* pointer) {
  using Local = const __attribute__((address_space(3))) void*;
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>((Local)pointer));
}

/// 16 bytes of LDS.
__device__ inline uint4 load_shared(const uint4* from) {
  using Local = const __attribute__((address_space(3))) Words4*;
  const Words4 v = *reinterpret_cast<Local>(unknown(shared_address(from)));
  return uint4{v.x, v.y, v.z, v.w};
}

/// The next link of a chain, from the level named. L1 is not coherent: what is atomic for the whole device misses it,
/// and is kept by L2 and an Infinity Cache like anything else, which volatile loads of RDNA3 are not.
__device__ inline std::uint64_t follow_cached(std::uint64_t at) {
  using Global = const __attribute__((address_space(1))) std::uint64_t*;
  return *reinterpret_cast<Global>(unknown(at));
}
__device__ inline std::uint64_t follow_past_l1(std::uint64_t at) {
  using Global = const __attribute__((address_space(1))) std::uint64_t*;
  return __hip_atomic_load(reinterpret_cast<Global>(at), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ inline std::uint32_t follow_shared(std::uint32_t at) {
  using Local = const __attribute__((address_space(3))) std::uint32_t*;
  return *reinterpret_cast<Local>(unknown(at));
}

/// Nothing to ask for: LDS and first-level cache are memories of their own.
inline hipError_t prefer_shared_memory(const void*, bool) { return hipSuccess; }

}  // namespace gable::gpu
