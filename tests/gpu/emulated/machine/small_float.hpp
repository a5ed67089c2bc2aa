#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/gpu/emulated/machine/bits.hpp"

namespace gable::emulated {

/// A binary floating-point format of at most 16 bits: a sign, exponent bits and mantissa bits.
struct FloatFormat {
  int exponent_bits, mantissa_bits;
  std::uint32_t largest;     ///< bits of the largest finite number
  bool has_infinity = true;  ///< else the code behind the largest number is not a number

  constexpr int sign_at() const { return exponent_bits + mantissa_bits; }
  /// How far above a code's exponent and mantissa those of fp64 stand. A code that is shifted there is, as fp64, its
  /// value times scale(), subnormal numbers too.
  constexpr int shift() const { return 52 - mantissa_bits; }
  constexpr double scale() const {
    return std::bit_cast<double>(((std::uint64_t{1} << (exponent_bits - 1)) - 1) << 52);
  }
};
inline constexpr FloatFormat half_format{5, 10, 0x7bff}, bfloat_format{8, 7, 0x7f7f}, e4m3_format{4, 3, 0x7e, false},
    e5m2_format{5, 2, 0x7b};

/// The value of the lower bits of `bits`, exactly.
template <FloatFormat format>
double decoded(std::uint64_t bits) {
  using Limits = std::numeric_limits<double>;
  const std::uint64_t code = bits & ((1U << format.sign_at()) - 1), sign = bits >> format.sign_at() & 1;
  const double beyond = format.has_infinity && code == format.largest + 1 ? Limits::infinity() : Limits::quiet_NaN();
  const double finite = value_of<double>(code << format.shift()) * (1 / format.scale());
  return value_of<double>(bits_of(code > format.largest ? beyond : finite) | sign << 63);
}

/// `value` rounded to a format once, to nearest and ties to even. Not a number becomes NVIDIA's: all bits set but the
/// sign.
template <FloatFormat format>
std::uint64_t encoded(double value) {
  // The leading bit of the value, or of the smallest normal number, decides what the last bit kept stands for: adding
  // and taking away a number whose last bit stands for the same rounds to it.
  const double magnitude = std::min(std::abs(value), 0x1p200);
  const double leading = value_of<double>(bits_of(magnitude) & 0x7ff0000000000000);
  const double coarse =
      std::max(leading, 0x1p-1022 / format.scale()) * 1.5 * value_of<double>((1023ULL + format.shift()) << 52);
  const std::uint64_t code = bits_of((magnitude + coarse - coarse) * format.scale()) >> format.shift();
  const std::uint64_t bounded = code > format.largest ? format.largest + 1 : code, sign = bits_of(value) >> 63;
  return value == value ? sign << format.sign_at() | bounded : (1U << format.sign_at()) - 1;
}

/// A number of 16 bits, and two of them in a register.
template <FloatFormat format>
struct SmallFloat {
  std::uint16_t bits;
  SmallFloat() = default;
  explicit SmallFloat(double value) : bits(static_cast<std::uint16_t>(encoded<format>(value))) {}
  operator double() const { return decoded<format>(bits); }
};
using Half = SmallFloat<half_format>;
using BFloat = SmallFloat<bfloat_format>;
template <class T>
struct Pair {
  T low, high;
};

}  // namespace gable::emulated
