#pragma once
#include <cstdint>

#include "tests/gpu/emulated/machine/bits.hpp"
#include "tests/gpu/emulated/ptx/statement.hpp"

namespace gable::emulated {

/// A binary floating-point format of at most 32 bits: a sign, exponent bits and mantissa bits.
struct FloatFormat {
  int exponent_bits, mantissa_bits;
  std::uint32_t largest;     ///< bits of the largest finite number
  bool has_infinity = true;  ///< else the code behind the largest number is not a number
};
inline constexpr FloatFormat half_format{5, 10, 0x7bff}, bfloat_format{8, 7, 0x7f7f}, single_format{8, 23, 0x7f7fffff},
    tf32_format{8, 10, 0x3fbff}, e4m3_format{4, 3, 0x7e, false}, e5m2_format{5, 2, 0x7b};

enum class Rounding : unsigned char { nearest_even, nearest_away, toward_zero, down, up };

/// The value of the lower bits of `bits`, exactly.
double decoded(std::uint32_t bits, const FloatFormat& format);

/// `value` rounded to a format, once. Not a number becomes NVIDIA's: all bits set but the sign. What is too large
/// becomes infinite, or the largest finite number if the rounding or `saturate` (.satfinite) says so.
std::uint32_t encoded(double value, const FloatFormat& format, Rounding rounding = Rounding::nearest_even,
                      bool saturate = false);

double half_value(std::uint32_t bits);
double bfloat_value(std::uint32_t bits);
double e4m3_value(std::uint32_t bits);
double e5m2_value(std::uint32_t bits);

/// Rounded to nearest, ties to even; not a number becomes NVIDIA's 0x7fff.
std::uint32_t half_bits(double value);
std::uint32_t bfloat_bits(double value);
/// The same, with .satfinite: what is too large becomes the largest finite number. Not a number becomes 0x7f.
std::uint32_t e4m3_bits(double value);
std::uint32_t e5m2_bits(double value);

/// An element of a floating-point type out of the lower bits of a register, and back.
double floating_value(std::uint64_t bits, const Type& type);
std::uint64_t floating_bits(double value, const Type& type);

/// Subnormal numbers become zeros of their sign (.ftz).
inline float flushed(float value) {
  const auto bits = value_of<std::uint32_t>(bits_of(value));
  return value_of<float>((bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits);
}
inline double flushed(double value) { return value; }

}  // namespace gable::emulated
