#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/model/dtype.hpp"
#include "operators/device/function.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
#if defined(__HIPCC__)
#include <hip/hip_fp16.h>
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif
#elif defined(__F16C__) || defined(__AVX2__)
#include <immintrin.h>
#endif

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

/// Exponent and mantissa are shifted into place and scaled by 2^112 in floating point, which also normalises
/// subnormals.
GABLE_FUNCTION float widen(Fp16 x) {
  const std::uint32_t magnitude = (x.bits & 0x7fffU) << 13;
  const std::uint32_t sign = (x.bits & 0x8000U) << 16;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const std::uint32_t special = magnitude | 0x7f800000U | ((magnitude & 0x007fffffU) != 0 ? 0x00400000U : 0U);
  const std::uint32_t bits = magnitude >= 0x0f800000U ? special : std::bit_cast<std::uint32_t>(scaled);
  return std::bit_cast<float>(bits | sign);
}

GABLE_FUNCTION Fp16 narrow_fp16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  // Below 2^-14 adding 0.5 lets the hardware round at the subnormals' fixed last place, 2^-24.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  std::uint32_t result = magnitude < 0x38800000U ? subnormal : normal;
  result = magnitude >= 0x47800000U ? 0x7c00U : result;
  result = magnitude > 0x7f800000U ? 0x7e00U | ((magnitude >> 13) & 0x3ffU) : result;
  return {static_cast<std::uint16_t>(result | sign)};
}

}  // namespace portable

GABLE_FUNCTION double widen(double x) { return x; }
GABLE_FUNCTION float widen(float x) { return x; }
GABLE_FUNCTION std::int32_t widen(std::int32_t x) { return x; }
GABLE_FUNCTION std::int32_t widen(std::int8_t x) { return x; }
GABLE_FUNCTION float widen(Bf16 x) { return portable::widen(x); }
GABLE_FUNCTION float widen(Fp8E4m3 x) { return portable::widen(x); }

GABLE_FUNCTION float widen(Fp16 x) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(x.bits));
#elif defined(__HIP_DEVICE_COMPILE__)
  return static_cast<float>(std::bit_cast<_Float16>(x.bits));
#elif defined(__F16C__) && !defined(__CUDACC__) && !defined(__HIPCC__)
  return _cvtsh_ss(x.bits);
#else
  return portable::widen(x);
#endif
}

/// To storage type T, rounding to nearest even.
template <class T>
GABLE_FUNCTION T narrow(float x) {
  if constexpr (std::is_same_v<T, Fp16>) {
#if defined(__CUDA_ARCH__)
    return {__half_as_ushort(__float2half_rn(x))};
#elif defined(__HIP_DEVICE_COMPILE__)
    return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(x))};
#elif defined(__F16C__) && !defined(__CUDACC__) && !defined(__HIPCC__)
    return {static_cast<std::uint16_t>(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT))};
#else
    return portable::narrow_fp16(x);
#endif
  } else if constexpr (std::is_same_v<T, Bf16>) {
#if defined(__CUDA_ARCH__)
    return {__bfloat16_as_ushort(__float2bfloat16_rn(x))};
#else
    return portable::narrow_bf16(x);
#endif
  } else if constexpr (std::is_same_v<T, Fp8E4m3>) {
    return portable::narrow_fp8_e4m3(x);
  } else {
    return static_cast<T>(x);
  }
}
template <class T>
GABLE_FUNCTION T narrow(double x) {
  if constexpr (sizeof(T) < sizeof(float) && !std::is_integral_v<T>) {
    return narrow<T>(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}
template <class T>
GABLE_FUNCTION T narrow(std::int32_t x) {
  static_assert(std::is_integral_v<T>);
  return static_cast<T>(x);
}

/// x as T stores it, on the host: integers are taken to be whole and in range.
template <class T>
T from_double(double x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(x);
  } else {
    return narrow<T>(x);
  }
}
/// Element i of an array as a number, on the host.
template <class T>
double element_at(const T* data, std::int64_t i) {
  if constexpr (std::is_same_v<T, Int4Pair>) {
    return i % 2 == 0 ? data[i / 2].even() : data[i / 2].odd();
  } else {
    return static_cast<double>(widen(data[i]));
  }
}

/// Type sums of T are kept in: fp64 and fp32 their own, narrower ones fp32, integers int32.
template <class T>
using Accumulate = decltype(widen(T{}));

/// The dtype a storage type stands for.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, double>) return DType::fp64;
  if constexpr (std::is_same_v<T, float>) return DType::fp32;
  if constexpr (std::is_same_v<T, Fp16>) return DType::fp16;
  if constexpr (std::is_same_v<T, Bf16>) return DType::bf16;
  if constexpr (std::is_same_v<T, Fp8E4m3>) return DType::fp8_e4m3;
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::int8;
  if constexpr (std::is_same_v<T, Int4Pair>) return DType::int4;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::int32;
}

}  // namespace gable::device
