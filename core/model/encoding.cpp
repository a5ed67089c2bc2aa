#include "core/model/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>
#include <utility>

#include "core/error.hpp"

namespace gable {
namespace {

/// A binary floating-point format: sign, exponent, mantissa from the highest bit on; `unused` low bits are 0. fnuz:
/// the exponent's bias is one more, and there is no negative zero, whose bits are the only NaN.
struct Format {
  int exponent_bits, mantissa_bits, unused;
  double largest;
  bool fnuz{};

  int bias() const { return (1 << (exponent_bits - 1)) - (fnuz ? 0 : 1); }
  int bytes() const { return (1 + exponent_bits + mantissa_bits + unused) / 8; }
};

/// IEEE 754 binary16; bfloat16; OCP 8-bit floating point (OFP8) 1.0; the FNUZ kinds of AMD's CDNA3 ISA guide; tf32; the
/// elements of 6 and 4 bits of OCP MX 1.0, which have neither infinities nor NaN.
constexpr std::pair<DType, Format> formats[] = {{DType::fp16, {5, 10, 0, 65504.0}},
                                                {DType::bf16, {8, 7, 0, 0x1.fep127}},
                                                {DType::tf32, {8, 10, 13, 0x1.ffcp127}},
                                                {DType::fp8_e4m3, {4, 3, 0, 448.0}},
                                                {DType::fp8_e5m2, {5, 2, 0, 57344.0}},
                                                {DType::fp8_e4m3fnuz, {4, 3, 0, 240.0, true}},
                                                {DType::fp8_e5m2fnuz, {5, 2, 0, 57344.0, true}},
                                                {DType::fp6_e2m3, {2, 3, 0, 7.5}},
                                                {DType::fp6_e3m2, {3, 2, 0, 28.0}},
                                                {DType::fp4_e2m1, {2, 1, 0, 6.0}}};

/// Null for what is stored in a type of C++.
const Format* format_of(DType type) {
  const auto found = std::ranges::find(formats, type, &std::pair<DType, Format>::first);
  return found == std::end(formats) ? nullptr : &found->second;
}

[[noreturn]] void out_of_range(DType type, double value) {
  throw Error(fmt::format("{} does not hold {}", to_string(type), value));
}

std::uint32_t to_bits(DType type, const Format& format, double value) {
  if (!std::isfinite(value)) out_of_range(type, value);
  const double magnitude = std::fabs(value);
  const int lowest = 1 - format.bias();
  const int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), lowest) : lowest;
  // Units of the last place; a carry into the next power of two comes out right in the bits, too.
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent)));
  if (std::ldexp(units, exponent - format.mantissa_bits) > format.largest) out_of_range(type, value);
  const std::uint32_t hidden = 1U << format.mantissa_bits;
  const auto biased = static_cast<std::uint32_t>(exponent + format.bias());
  const std::uint32_t bits = units < hidden ? units : (biased << format.mantissa_bits) + (units - hidden);
  const bool negative = std::signbit(value) && !(format.fnuz && units == 0);
  const std::uint32_t sign = negative ? 1U << (format.exponent_bits + format.mantissa_bits) : 0U;
  return (sign | bits) << format.unused;
}

double from_bits(const Format& format, std::uint32_t stored) {
  const std::uint32_t bits = stored >> format.unused;
  const std::uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1U);
  const auto biased = static_cast<int>(bits >> format.mantissa_bits & ((1U << format.exponent_bits) - 1U));
  const double units = biased == 0 ? mantissa : mantissa + (1U << format.mantissa_bits);
  const double magnitude = std::ldexp(units, std::max(biased, 1) - format.bias() - format.mantissa_bits);
  return bits >> (format.exponent_bits + format.mantissa_bits) != 0 ? -magnitude : magnitude;
}

template <class Integer>
Integer whole(DType type, double value, double least, double most) {
  if (!(value >= least && value <= most) || value != std::nearbyint(value)) out_of_range(type, value);
  return static_cast<Integer>(value);
}

/// To and from `size` bytes of one value of a type that takes whole bytes.
void store(DType type, double value, std::byte* to) {
  if (const auto* format = format_of(type)) {
    const std::uint32_t bits = to_bits(type, *format, value);
    std::memcpy(to, &bits, static_cast<std::size_t>(format->bytes()));  // little endian, as every machine here is
  } else if (type == DType::fp64) {
    std::memcpy(to, &value, sizeof value);
  } else if (type == DType::fp32) {
    const auto single = static_cast<float>(value);
    std::memcpy(to, &single, sizeof single);
  } else if (type == DType::int32) {
    const auto integer = whole<std::int32_t>(type, value, -0x1p31, 0x1p31 - 1);
    std::memcpy(to, &integer, sizeof integer);
  } else if (type == DType::int8) {
    const auto integer = whole<std::int8_t>(type, value, -128, 127);
    std::memcpy(to, &integer, sizeof integer);
  } else {
    throw Error(fmt::format("no kernel stores {}", to_string(type)));
  }
}

template <class T>
double as_double(const std::byte* from) {
  T value{};
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

double load(DType type, const std::byte* from) {
  if (const auto* format = format_of(type)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, static_cast<std::size_t>(format->bytes()));
    return from_bits(*format, bits);
  }
  switch (type) {
    case DType::fp64:
      return as_double<double>(from);
    case DType::fp32:
      return as_double<float>(from);
    case DType::int32:
      return as_double<std::int32_t>(from);
    case DType::int8:
      return as_double<std::int8_t>(from);
    default:
      throw Error(fmt::format("no kernel stores {}", to_string(type)));
  }
}

/// Bits of a type that does not take whole bytes; 0 for others.
std::size_t packed_bits(DType type) {
  const double bits = 8 * size_bytes(type);
  return bits < 8 ? static_cast<std::size_t>(bits) : 0;
}

/// At most 8 bits that begin at bit `first` of the bytes, which are 0 from there on.
void put_bits(std::span<std::byte> bytes, std::size_t first, std::uint32_t bits) {
  const std::uint32_t placed = bits << first % 8;
  bytes[first / 8] |= static_cast<std::byte>(placed & 0xffU);
  if (placed > 0xffU) bytes[first / 8 + 1] |= static_cast<std::byte>(placed >> 8);
}
std::uint32_t get_bits(std::span<const std::byte> bytes, std::size_t first, std::size_t count) {
  auto word = std::to_integer<std::uint32_t>(bytes[first / 8]);
  if (first % 8 + count > 8) word |= std::to_integer<std::uint32_t>(bytes[first / 8 + 1]) << 8;
  return word >> first % 8 & ((1U << count) - 1U);
}

std::uint32_t to_packed(DType type, double value) {
  if (const auto* format = format_of(type)) return to_bits(type, *format, value);
  return static_cast<std::uint32_t>(whole<int>(type, value, -8, 7)) & 0xfU;
}
double from_packed(DType type, std::uint32_t bits) {
  if (const auto* format = format_of(type)) return from_bits(*format, bits);
  return bits < 8 ? bits : bits - 16.0;
}

}  // namespace

std::size_t encoded_bytes(DType stored, std::size_t count) {
  const DType type = element_of(stored);
  const std::size_t each = packed_bits(type);
  return each != 0 ? (count * each + 7) / 8 : count * static_cast<std::size_t>(size_bytes(type));
}

std::vector<std::byte> encode(DType stored, std::span<const double> values) {
  const DType type = element_of(stored);
  std::vector<std::byte> bytes(encoded_bytes(stored, values.size()));
  if (const std::size_t each = packed_bits(type)) {
    for (std::size_t i = 0; i < values.size(); ++i) put_bits(bytes, i * each, to_packed(type, values[i]));
    return bytes;
  }
  const auto size = static_cast<std::size_t>(size_bytes(type));
  for (std::size_t i = 0; i < values.size(); ++i) store(type, values[i], bytes.data() + i * size);
  return bytes;
}

std::vector<double> decode(DType stored, std::span<const std::byte> bytes, std::size_t count) {
  const DType type = element_of(stored);
  const std::size_t each = packed_bits(type);
  const auto size = static_cast<std::size_t>(size_bytes(type));
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = each != 0 ? from_packed(type, get_bits(bytes, i * each, each)) : load(type, bytes.data() + i * size);
  return values;
}

namespace {

double normal_value(DType type, double normal) {
  if (type == DType::int8) return std::clamp(std::nearbyint(32.0 * normal), -127.0, 127.0);
  if (type == DType::int4) return std::clamp(std::nearbyint(3.0 * normal), -7.0, 7.0);
  if (element_of(type) == DType::fp4_e2m1) return std::clamp(2.0 * normal, -6.0, 6.0);
  return normal;
}

}  // namespace

std::vector<double> normal_values(DType type, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < std::min(count, normal_period); ++i) values[i] = normal_value(type, normal(random));
  for (std::size_t i = normal_period; i < count; ++i) values[i] = values[i - normal_period];
  return decode(type, encode(type, values), count);
}

}  // namespace gable
