#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "operators/device/function.hpp"

namespace gable::device {

/// IEEE 754 binary16 as stored: 1 sign, 5 exponent, 10 mantissa bits. Same bits on every backend.
struct Fp16 {
  std::uint16_t bits;
};

/// bfloat16 as stored: the upper half of a binary32.
struct Bf16 {
  std::uint16_t bits;
};

/// OCP fp8 E4M3 as stored: 1 sign, 4 exponent (bias 7), 3 mantissa bits; no infinity, 0x7f and 0xff are NaN.
struct Fp8E4m3 {
  std::uint8_t bits;
};

/// Two int4 (-8 to 7) in one byte, the element of even number in the low half. The lowest unit of int4's memory.
struct Int4Pair {
  std::uint8_t bits;
  static GABLE_FUNCTION Int4Pair of(int even, int odd) {
    return {static_cast<std::uint8_t>((even & 15) | ((odd & 15) << 4))};
  }
  GABLE_FUNCTION std::int32_t even() const { return ((bits & 15) ^ 8) - 8; }
  GABLE_FUNCTION std::int32_t odd() const { return ((bits >> 4) ^ 8) - 8; }
};

/// Elements that one object of a storage type holds.
template <class T>
inline constexpr int elements_of = std::is_same_v<T, Int4Pair> ? 2 : 1;

/// Conversions by integer arithmetic: correct anywhere, the reference for the fast ones. Narrowing rounds to nearest
/// even, overflows to infinity, makes subnormals, and keeps a NaN a (quiet) NaN with its sign.
namespace portable {

GABLE_FUNCTION float widen(Bf16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16); }

GABLE_FUNCTION Bf16 narrow_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t quiet = (bits >> 16) | 0x40U;
  return {static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? quiet : rounded)};
}

/// As for fp16, by 2^120; exact.
GABLE_FUNCTION float widen(Fp8E4m3 x) {
  const std::uint32_t magnitude = (x.bits & 0x7fU) << 20;
  const std::uint32_t sign = (x.bits & 0x80U) << 24;
  const std::uint32_t scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p120F);
  return std::bit_cast<float>((magnitude == 0x07f00000U ? 0x7fc00000U : scaled) | sign);
}

/// Saturates to 448, the largest number, as OCP's conversions do by default; infinity too, NaN stays NaN.
GABLE_FUNCTION Fp8E4m3 narrow_fp8_e4m3(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t sign = (bits >> 24) & 0x80U;
  // Below 2^-6 adding 2^14 lets the hardware round at the subnormals' fixed last place, 2^-9.
  const float shifted = std::bit_cast<float>(magnitude) + 0x1p14F;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0x1p14F);
  const std::uint32_t normal = (magnitude - 0x3c000000U + 0x7ffffU + ((magnitude >> 20) & 1U)) >> 20;
  std::uint32_t result = magnitude < 0x3c800000U ? subnormal : normal;
  result = result > 0x7eU ? 0x7eU : result;
  result = magnitude > 0x7f800000U ? 0x7fU : result;
  return {static_cast<std::uint8_t>(result | sign)};
}

/// The bits of a float, of which `bits` (below 2^16) are those of a fp16; Word is a 32-bit number or a vector of them,
/// Float what has its size. Exponent and mantissa are shifted into place and scaled by 2^112 in floating point, which
/// also normalises subnormals.
template <class Float, class Word>
GABLE_FUNCTION Float widen_fp16_bits(Word bits) {
  const Word magnitude = (bits & 0x7fffU) << 13;
  const Word sign = (bits & 0x8000U) << 16;
  const Word scaled = std::bit_cast<Word>(std::bit_cast<Float>(magnitude) * 0x1p112F);
  const Word quiet = (magnitude & 0x007fffffU) != 0U ? Word{} + 0x00400000U : Word{};
  const Word special = magnitude | 0x7f800000U | quiet;
  const Word widened = magnitude >= 0x0f800000U ? special : scaled;
  return std::bit_cast<Float>(widened | sign);
}
/// The bits of the nearest fp16, below 2^16.
template <class Word, class Float>
GABLE_FUNCTION Word narrow_fp16_bits(Float x) {
  const Word bits = std::bit_cast<Word>(x);
  const Word magnitude = bits & 0x7fffffffU;
  const Word sign = (bits >> 16) & 0x8000U;
  // Below 2^-14 adding 0.5 lets the hardware round at the subnormals' fixed last place, 2^-24.
  const Word subnormal =
      std::bit_cast<Word>(std::bit_cast<Float>(magnitude) + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
  const Word normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  Word result = magnitude < 0x38800000U ? subnormal : normal;
  result = magnitude >= 0x47800000U ? Word{} + 0x7c00U : result;
  result = magnitude > 0x7f800000U ? 0x7e00U | ((magnitude >> 13) & 0x3ffU) : result;
  return result | sign;
}

GABLE_FUNCTION float widen(Fp16 x) { return widen_fp16_bits<float, std::uint32_t>(x.bits); }
GABLE_FUNCTION Fp16 narrow_fp16(float x) { return {static_cast<std::uint16_t>(narrow_fp16_bits<std::uint32_t>(x))}; }

}  // namespace portable

}  // namespace gable::device
