#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "operators/device/storage_types.hpp"

/// Storage types by the definition of their formats; no bit of the code under test.
namespace gable::device {

/// Value of a bit pattern.
inline double value(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const std::uint32_t mantissa = bits & ((1U << mantissa_bits) - 1);
  const int exponent = static_cast<int>((bits >> mantissa_bits) & ((1U << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> (exponent_bits + mantissa_bits)) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa == 0 ? sign * HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1U << mantissa_bits), exponent - bias - mantissa_bits);
}

/// x rounded to nearest even in the format, by arithmetic on fp64 (exact: x has 24 bits).
inline double rounded(double x, int exponent_bits, int mantissa_bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int last_place = std::max(exponent - 1, 1 - bias) - mantissa_bits;
  const double result = std::ldexp(std::nearbyint(std::ldexp(x, -last_place)), last_place);
  return std::abs(result) >= std::ldexp(1.0, bias + 1) ? std::copysign(HUGE_VAL, x) : result;
}

template <class T>
struct Format;
template <>
struct Format<Fp16> {
  static constexpr int exponent_bits = 5, mantissa_bits = 10;
};
template <>
struct Format<Bf16> {
  static constexpr int exponent_bits = 8, mantissa_bits = 7;
};

template <class T>
double defined_value(T x) {
  return value(x.bits, Format<T>::exponent_bits, Format<T>::mantissa_bits);
}

}  // namespace gable::device
