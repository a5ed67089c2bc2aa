#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "operators/device/storage.hpp"

namespace gable::device {

/// Two elements of a 2-byte floating-point type as a GPU moves them, in one word; the first is its lower half.
struct Singles {
  float low, high;
};
template <class T>
GABLE_FUNCTION Singles widen_pair(std::uint32_t word) {
  if constexpr (std::is_same_v<T, Bf16>) {
    return {std::bit_cast<float>(word << 16), std::bit_cast<float>(word & 0xffff0000U)};
  } else {
    return {widen(T{static_cast<std::uint16_t>(word)}), widen(T{static_cast<std::uint16_t>(word >> 16)})};
  }
}
/// To a 2-byte type, each rounded to nearest even.
template <class T>
GABLE_FUNCTION std::uint32_t narrow_pair(float low, float high) {
#if defined(__CUDA_ARCH__)
  std::uint32_t word = 0;
  if constexpr (std::is_same_v<T, Bf16>) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  }
  return word;
#else
  return narrow<T>(low).bits | static_cast<std::uint32_t>(narrow<T>(high).bits) << 16;
#endif
}

}  // namespace gable::device
