#pragma once
#include <bit>
#include <cstdint>

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

/// AMD: every load in front of this is begun before the pack is used. The pack goes through a statement that the
/// compiler moves no load across; left alone, it begins some only after it has waited for the first, where addresses
/// are too far apart for an instruction's offset or fewer registers look better. NVIDIA's needs no such help.
template <class Pack>
GABLE_FUNCTION void wait_for([[maybe_unused]] Pack& pack) {
#if defined(__HIP_DEVICE_COMPILE__)
  if constexpr (sizeof pack == 16) {
    using Words = std::uint32_t __attribute__((ext_vector_type(4)));
    auto words = std::bit_cast<Words>(pack);
    asm volatile("" : "+v"(words));
    pack = std::bit_cast<Pack>(words);
  }
#endif
}

/// A pack at an address that is aligned to it, in memory that no thread writes before the kernel ends: NVIDIA's
/// compiler may move the load ahead of stores.
template <class Pack>
GABLE_FUNCTION Pack load_constant(const Pack* source) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Pack) == 16) return std::bit_cast<Pack>(__ldg(reinterpret_cast<const uint4*>(source)));
#endif
  return *source;
}

/// Stores a pack at an address that is aligned to it. One of 16 bytes in one access: a compiler that has made them
/// element by element may store some of them by themselves.
template <class Pack>
GABLE_FUNCTION void store_whole(Pack* target, const Pack& pack) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof pack == 16) {
    *reinterpret_cast<uint4*>(target) = std::bit_cast<uint4>(pack);
    return;
  }
#elif defined(__HIP_DEVICE_COMPILE__)
  if constexpr (sizeof pack == 16) {
    using Words = std::uint32_t __attribute__((ext_vector_type(4)));
    *reinterpret_cast<Words*>(target) = std::bit_cast<Words>(pack);
    return;
  }
#endif
  *target = pack;
}

}  // namespace gable::device
