// cvt: conversions between whole numbers and floating-point numbers.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

constexpr std::string_view roundings = " rn rna rz rm rp rni rzi rmi rpi ftz sat relu satfinite ";

/// The lower `bits` bits, and copies of the last of them above if it is a sign.
U64 extended(U64 value, int bits, bool is_signed) {
  const int above = 64 - bits;
  return is_signed ? static_cast<U64>(static_cast<S64>(value << above) >> above) : value << above >> above;
}

Rounding rounding_of(const Statement& statement) {
  if (statement.has("rna")) return Rounding::nearest_away;
  if (statement.has("rz") || statement.has("rzi")) return Rounding::toward_zero;
  if (statement.has("rm") || statement.has("rmi")) return Rounding::down;
  if (statement.has("rp") || statement.has("rpi")) return Rounding::up;
  return Rounding::nearest_even;
}

double whole(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::toward_zero:
      return std::trunc(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

FloatFormat format_of(const Type& type) {
  return type.bits == 32 ? single_format : type.bfloat ? bfloat_format : half_format;
}

/// A conversion of numbers of the widths and kinds that the statement names. Bits of a register above the destination's
/// type are copies of the sign or zero.
struct Conversion {
  Type to, from;
  Rounding rounding;
  bool to_whole, flush, saturate, relu, finite;
  int register_bits;

  Conversion(const Statement& statement, const Operands& operands)
      : to(statement.types().front()),
        from(statement.types().back()),
        rounding(rounding_of(statement)),
        to_whole(statement.has("rni") || statement.has("rzi") || statement.has("rmi") || statement.has("rpi")),
        flush(statement.has("ftz")),
        saturate(statement.has("sat")),
        relu(statement.has("relu")),
        finite(statement.has("satfinite")),
        register_bits(operands.bits(statement.operand(0))) {}

  U64 in_register(U64 value) const {
    return extended(extended(value, to.bits, to.is_signed()), std::max(register_bits, to.bits), false);
  }
  U64 largest() const { return (U64{1} << (to.bits - 1)) - 1 + (to.is_signed() ? 0 : U64{1} << (to.bits - 1)); }

  U64 whole_to_whole(U64 bits) const {
    const U64 value = extended(bits, from.bits, from.is_signed());
    if (!saturate) return in_register(value);
    const bool negative = from.is_signed() && static_cast<S64>(value) < 0;
    if (!negative) return in_register(std::min(value, largest()));
    const S64 least = to.is_signed() ? -static_cast<S64>(largest()) - 1 : 0;
    return in_register(static_cast<U64>(std::max(static_cast<S64>(value), least)));
  }

  U64 whole_to_float(U64 bits) const {
    U64 value = extended(bits, from.bits, from.is_signed());
    const bool negative = from.is_signed() && static_cast<S64>(value) < 0;
    if (negative) value = 0 - value;
    // A bit of the 53 that fp64 has stands for those below it: rounding to a shorter format comes out the same.
    if (to.bits < 64 && value >> 53 != 0) value = (value & ~U64{0x7ff}) | ((value & 0x7ff) != 0 ? 0x800 : 0);
    const double magnitude = static_cast<double>(value), number = negative ? -magnitude : magnitude;
    return to.bits == 64 ? bits_of(number) : encoded(number, format_of(to), rounding, finite);
  }

  double read(U64 bits) const {
    if (from.bits == 32 && flush) return static_cast<double>(flushed(value_of<float>(bits)));
    return floating_value(bits, from);
  }

  /// Not a number becomes 0, or the number with the highest bit set where 64 bits take part.
  U64 float_to_whole(U64 bits) const {
    const double value = whole(read(bits), rounding);
    const U64 highest_bit = U64{1} << (to.bits - 1);
    if (std::isnan(value)) return in_register(from.bits == 64 || to.bits == 64 ? highest_bit : 0);
    const double end = std::ldexp(1.0, to.is_signed() ? to.bits - 1 : to.bits);
    if (value >= end) return in_register(largest());
    if (!to.is_signed()) return value <= 0 ? 0 : static_cast<U64>(value);
    return in_register(value <= -end ? highest_bit : static_cast<U64>(static_cast<S64>(value)));
  }

  U64 float_to_float(U64 bits) const {
    double value = read(bits);
    if (to_whole) value = whole(value, rounding);
    if (saturate) value = value > 0 ? std::min(value, 1.0) : 0;
    if (relu && value <= 0) value = 0;
    if (to.bits == 64) return bits_of(value);
    const bool is_exact = to.bits == 32 && static_cast<double>(static_cast<float>(value)) == value;
    const U32 result = is_exact ? static_cast<U32>(bits_of(static_cast<float>(value)))
                                : encoded(value, format_of(to), rounding, finite);
    return to.bits == 32 && flush ? bits_of(flushed(value_of<float>(result))) : result;
  }
};

void decode_scalar(const Statement& statement, Operands& operands, Instruction& to) {
  const Conversion conversion(statement, operands);
  if (conversion.to.pair || conversion.from.pair || conversion.to.bits < 8 || conversion.from.bits < 8 ||
      conversion.to.kind == Type::Kind::predicate || conversion.from.kind == Type::Kind::predicate) {
    refuse(statement, "a conversion that is not emulated");
  }
  const auto with = [&](U64 (Conversion::*convert)(U64) const) {
    lanewise<U64>(statement, operands, to, [conversion, convert](U64 bits) { return (conversion.*convert)(bits); });
  };
  if (conversion.from.is_floating()) {
    return with(conversion.to.is_floating() ? &Conversion::float_to_float : &Conversion::float_to_whole);
  }
  if (!conversion.to.is_floating()) {
    // The conversions of indices: frequent, so in line.
    if (conversion.saturate) return with(&Conversion::whole_to_whole);
    return lanewise<U64>(statement, operands, to, [conversion](U64 bits) { return conversion.whole_to_whole(bits); });
  }
  if (conversion.to.bits == 64 && conversion.from.bits == 64 && conversion.rounding != Rounding::nearest_even) {
    refuse(statement, "a conversion that is not emulated");
  }
  with(&Conversion::whole_to_float);
}

/// cvt.rna.tf32.f32 and .rn, .rz: fp32 with 10 bits of mantissa.
void decode_tf32(const Statement& statement, Operands& operands, Instruction& to) {
  const Rounding rounding = rounding_of(statement);
  const bool relu = statement.has("relu"), finite = statement.has("satfinite");
  lanewise<float>(statement, operands, to, [=](float value) {
    if (std::isnan(value)) return U32{0x7fffffff};
    const double kept = relu && value <= 0 ? 0 : static_cast<double>(value);
    return encoded(kept, tf32_format, rounding, finite) << (single_format.mantissa_bits - tf32_format.mantissa_bits);
  });
}

/// Formats that stand two in a register.
struct PairFormat {
  std::string_view name;
  FloatFormat format;
  int bits;
};
const PairFormat* pair_format(std::string_view name) {
  static const std::array<PairFormat, 4> all{{{"f16x2", half_format, 16},
                                              {"bf16x2", bfloat_format, 16},
                                              {"e4m3x2", e4m3_format, 8},
                                              {"e5m2x2", e5m2_format, 8}}};
  const auto found = std::find_if(all.begin(), all.end(), [&](const PairFormat& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// To a pair: of two fp32, the first of which becomes the upper half, or of another pair.
void decode_pair(const Statement& statement, Operands& operands, Instruction& to, const PairFormat& result) {
  const std::string& source = statement.modifiers.back();
  const Rounding rounding = rounding_of(statement);
  const bool relu = statement.has("relu"), finite = statement.has("satfinite");
  const auto element = [format = result.format, rounding, relu, finite](double value) {
    return encoded(relu && value <= 0 ? 0 : value, format, rounding, finite);
  };
  const int bits = result.bits;
  if (source == "f32") {
    return lanewise<float, float>(statement, operands, to, [=](float high, float low) {
      return element(static_cast<double>(high)) << bits | element(static_cast<double>(low));
    });
  }
  const PairFormat* from = pair_format(source);
  if (from == nullptr) refuse(statement, "a conversion that is not emulated");
  lanewise<U32>(statement, operands, to, [=, format = from->format, shift = from->bits](U32 both) {
    return element(decoded(both >> shift, format)) << bits | element(decoded(both, format));
  });
}

/// cvt.pack.sat: two whole numbers into the lower bits of d, behind which the bits of c follow if there is a c.
void decode_pack(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " pack sat ");
  const Type type = statement.types().front();
  if (type.bits != 8 && type.bits != 16) refuse(statement, "a conversion that is not emulated");
  const int bits = type.bits;
  const S64 least = type.is_signed() ? -(S64{1} << (bits - 1)) : 0, most = least + (S64{1} << bits) - 1;
  const auto packed = [=](std::int32_t a, std::int32_t b, U32 c) {
    const auto part = [&](std::int32_t x) {
      return extended(static_cast<U64>(std::clamp<S64>(x, least, most)), bits, false);
    };
    return static_cast<U32>(U64{c} << (2 * bits) | part(a) << bits | part(b));
  };
  using S32 = std::int32_t;
  if (statement.operands.size() == 4) return lanewise<S32, S32, U32>(statement, operands, to, packed);
  lanewise<S32, S32>(statement, operands, to, [packed](S32 a, S32 b) { return packed(a, b, 0); });
}

}  // namespace

bool decode_conversion(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name != "cvt") return false;
  const std::size_t count = statement.modifiers.size();
  if (count < 2) refuse(statement, "a conversion needs two types");
  if (statement.has("pack")) {
    decode_pack(statement, operands, to);
    return true;
  }
  allow(statement, std::string(roundings) + " e4m3x2 e5m2x2 ");
  const std::string& result = statement.modifiers[count - 2];
  if (result == "tf32") {
    decode_tf32(statement, operands, to);
  } else if (const PairFormat* pair = pair_format(result)) {
    decode_pair(statement, operands, to, *pair);
  } else if (statement.types().size() == 2) {
    decode_scalar(statement, operands, to);
  } else {
    refuse(statement, "a conversion that is not emulated");
  }
  return true;
}

}  // namespace gable::emulated
