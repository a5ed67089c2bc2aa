#include "tests/gpu/emulated/machine/small_float.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gable::emulated {
namespace {

constexpr int double_bias = 1023, double_mantissa_bits = 52;

int bias_of(const FloatFormat& format) { return (1 << (format.exponent_bits - 1)) - 1; }

double power_of_two(int exponent) {
  return value_of<double>(static_cast<std::uint64_t>(double_bias + exponent) << double_mantissa_bits);
}

/// Whether a number whose last bit kept is odd, with `rest` below it, becomes the next larger one in magnitude.
bool rounds_up(bool odd, bool negative, std::uint64_t rest, std::uint64_t half, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return rest > half || (rest == half && odd);
    case Rounding::nearest_away:
      return rest >= half;
    case Rounding::toward_zero:
      return false;
    case Rounding::down:
      return negative && rest != 0;
    default:
      return !negative && rest != 0;
  }
}

}  // namespace

double decoded(std::uint32_t bits, const FloatFormat& format) {
  const int mantissa_bits = format.mantissa_bits, sign_at = format.exponent_bits + mantissa_bits;
  const std::uint32_t magnitude = bits & ((1U << sign_at) - 1);
  const std::uint64_t mantissa = magnitude & ((1U << mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> mantissa_bits);
  double value = 0;
  if (magnitude > format.largest) {
    const bool infinite = format.has_infinity && magnitude == format.largest + 1;
    value = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = static_cast<double>(mantissa) * power_of_two(1 - bias_of(format) - mantissa_bits);
  } else {
    value =
        value_of<double>(static_cast<std::uint64_t>(exponent - bias_of(format) + double_bias) << double_mantissa_bits |
                         mantissa << (double_mantissa_bits - mantissa_bits));
  }
  return (bits >> sign_at & 1) != 0 ? -value : value;
}

std::uint32_t encoded(double value, const FloatFormat& format, Rounding rounding, bool saturate) {
  const int mantissa_bits = format.mantissa_bits, sign_at = format.exponent_bits + mantissa_bits;
  if (std::isnan(value)) return (1U << sign_at) - 1;
  const std::uint64_t bits = bits_of(value);
  const bool negative = bits >> 63 != 0;
  const std::uint32_t sign = static_cast<std::uint32_t>(negative) << sign_at;
  if (value == 0) return sign;

  // A normal number keeps 1 + mantissa_bits of its 53 bits, a subnormal one fewer: their last bit has a fixed place.
  constexpr std::uint64_t leading_bit = std::uint64_t{1} << double_mantissa_bits;
  const int exponent = static_cast<int>(bits >> double_mantissa_bits & 0x7ff) - double_bias;
  const int lowest = 1 - bias_of(format);
  std::uint64_t significand = (bits & (leading_bit - 1)) | leading_bit;
  int dropped = double_mantissa_bits - mantissa_bits + std::max(0, lowest - exponent);
  if (dropped > 60) {  // far below the smallest number: only that it is not zero matters
    dropped = 60;
    significand = 1;
  }
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1), rest = significand & (2 * half - 1);
  std::uint64_t code = significand >> dropped;
  if (rounds_up((code & 1) != 0, negative, rest, half, rounding)) ++code;
  // The leading bit of a normal number adds 1 to the exponent's field, and so does a carry out of the mantissa.
  if (exponent > lowest) code += static_cast<std::uint64_t>(exponent - lowest) << mantissa_bits;

  if (code > format.largest) {
    const bool stays_finite = rounding == Rounding::toward_zero || (rounding == Rounding::down && !negative) ||
                              (rounding == Rounding::up && negative);
    code = saturate || (stays_finite && !std::isinf(value)) ? format.largest : format.largest + 1;
  }
  return sign | static_cast<std::uint32_t>(code);
}

double half_value(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7fff;
  if (magnitude > half_format.largest) return decoded(bits, half_format);
  // Its bits at the place of fp64's have the value divided by 2^(1023 - 15), subnormal numbers too.
  const double value = value_of<double>(std::uint64_t{magnitude} << 42) * 0x1p1008;
  return (bits & 0x8000) != 0 ? -value : value;
}
double bfloat_value(std::uint32_t bits) {
  return static_cast<double>(value_of<float>(static_cast<std::uint64_t>(bits & 0xffff) << 16));
}
double e4m3_value(std::uint32_t bits) { return decoded(bits, e4m3_format); }
double e5m2_value(std::uint32_t bits) { return decoded(bits, e5m2_format); }

std::uint32_t half_bits(double value) { return encoded(value, half_format); }
std::uint32_t bfloat_bits(double value) { return encoded(value, bfloat_format); }
std::uint32_t e4m3_bits(double value) { return encoded(value, e4m3_format, Rounding::nearest_even, true); }
std::uint32_t e5m2_bits(double value) { return encoded(value, e5m2_format, Rounding::nearest_even, true); }

double floating_value(std::uint64_t bits, const Type& type) {
  if (type.bits == 64) return value_of<double>(bits);
  if (type.bits == 32) return static_cast<double>(value_of<float>(bits));
  const auto low = static_cast<std::uint32_t>(bits);
  return type.bfloat ? bfloat_value(low) : half_value(low);
}

std::uint64_t floating_bits(double value, const Type& type) {
  if (type.bits == 64) return bits_of(value);
  if (type.bits == 32) return encoded(value, single_format);
  return type.bfloat ? bfloat_bits(value) : half_bits(value);
}

}  // namespace gable::emulated
