#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/model/dtype.hpp"
#include "operators/device/function.hpp"
#include "operators/device/isa/isa.hpp"
#include "operators/device/storage_types.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
#if defined(__HIPCC__)
#include <hip/hip_fp16.h>
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif
#endif

namespace gable::device {

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
#elif defined(GABLE_ARRAY_LANES)
  return portable::widen(x);
#else
  return isa::Scalar<Fp16>::widen(x);
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
#elif defined(GABLE_ARRAY_LANES)
    return portable::narrow_fp16(x);
#else
    return isa::Scalar<Fp16>::narrow(x);
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
