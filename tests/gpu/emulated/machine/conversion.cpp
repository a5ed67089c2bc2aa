// cvt: conversions between whole numbers and floating-point numbers.
#include <algorithm>
#include <cmath>

#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

/// An instruction of one source, of a function that may hold on to something.
template <class From, class Function>
void from_each(const Statement& statement, Operands& operands, Instruction& to, Function function) {
  make_lanewise(statement, operands, to, 1, [function](const U64* const* sources, LaneValues& results) {
    in_all_lanes<From>(function, sources, results);
  });
}

U64 ones(int count) { return count >= 64 ? ~U64{0} : (U64{1} << count) - 1; }

/// Bits of a register above the destination's type are copies of the sign or zero.
template <class From>
void decode_whole_to_whole(const Statement& statement, Operands& operands, Instruction& to) {
  const Type type = statement.types().front();
  const int register_bits = operands.bits(statement.operand(0)), above = 64 - type.bits;
  const U64 mask = ones(std::min(type.bits, register_bits)), sign_mask = ones(register_bits);
  if (!type.is_signed() || type.bits >= register_bits) {
    from_each<From>(statement, operands, to, [mask](From a) { return static_cast<U64>(a) & mask; });
  } else {
    from_each<From>(statement, operands, to, [above, sign_mask](From a) {
      return static_cast<U64>(static_cast<S64>(static_cast<U64>(a) << above) >> above) & sign_mask;
    });
  }
}

template <class From>
bool decode_whole_to_float(const Type& type, const Statement& statement, Operands& operands, Instruction& to) {
  const auto with = [&](auto zero) {
    using To = decltype(zero);
    using Between = std::conditional_t<sizeof(To) == 2, double, To>;
    from_each<From>(statement, operands, to, [](From a) { return static_cast<To>(static_cast<Between>(a)); });
    return true;
  };
  if (type.bits == 64) return with(double{});
  if (type.bits == 32) return with(float{});
  if (sizeof(From) == 8) return false;  // fp64 does not hold them all
  return type.bfloat ? with(BFloat{}) : with(Half{});
}

/// To the nearest number that there is. Not a number becomes 0, or the number with the highest bit set where 64 bits
/// take part.
template <class From>
bool decode_float_to_whole(const Type& type, const Statement& statement, Operands& operands, Instruction& to) {
  const U64 mask = ones(operands.bits(statement.operand(0))), highest_bit = U64{1} << (type.bits - 1);
  const U64 largest = type.is_signed() ? highest_bit - 1 : ones(type.bits);
  const U64 unknown = sizeof(From) == 8 || type.bits == 64 ? highest_bit : 0;
  const double end = std::ldexp(1.0, type.is_signed() ? type.bits - 1 : type.bits), least = type.is_signed() ? -end : 0;
  const auto with = [&](auto rounded) {
    from_each<From>(statement, operands, to, [=](From a) {
      const double value = std::max(rounded(static_cast<double>(a)), least);
      if (!(value < end)) return a == a ? largest : unknown;
      return (value < 0x1p63 ? static_cast<U64>(static_cast<S64>(value)) : static_cast<U64>(value)) & mask;
    });
    return true;
  };
  if (statement.modifiers.size() != 3) return false;
  const std::string& rounding = statement.modifiers[0];
  if (rounding == "rni") return with([](double a) { return std::nearbyint(a); });
  if (rounding == "rzi") return with([](double a) { return std::trunc(a); });
  if (rounding == "rmi") return with([](double a) { return std::floor(a); });
  return rounding == "rpi" && with([](double a) { return std::ceil(a); });
}

const std::vector<Opcode> floats_to_floats{
    {"cvt.f32.f16", [](Half a) { return static_cast<float>(a); }},
    {"cvt.f32.bf16", [](BFloat a) { return static_cast<float>(a); }},
    {"cvt.f64.f16", [](Half a) { return static_cast<double>(a); }},
    {"cvt.f64.f32", [](float a) { return static_cast<double>(a); }},
    {"cvt.rn.f32.f64", [](double a) { return static_cast<float>(a); }},
    {"cvt.rn.f16.f32", [](float a) { return Half(a); }},
    {"cvt.rn.f16x2.f32",
     [](float high, float low) {
       return Pair<Half>{Half(low), Half(high)};
     }},
    {"cvt.rn.bf16.f32", [](float a) { return BFloat(a); }},
    {"cvt.rn.bf16x2.f32",
     [](float high, float low) {
       return Pair<BFloat>{BFloat(low), BFloat(high)};
     }},
    {"cvt.sat.f32.f32", [](float a) { return a > 0 ? std::min(a, 1.0F) : 0; }},
};

}  // namespace

bool decode_conversion(const Statement& statement, Operands& operands, Instruction& to) {
  const std::vector<Type> types = statement.types();
  if (statement.name != "cvt" || types.size() != 2) return false;
  const Type type = types[0], source = types[1];
  const std::string name = spelled(statement);
  if (type.is_floating() && source.is_floating()) {
    return decode_by(floats_to_floats, spelled(statement, true), statement, operands, to);
  }
  if (type.is_floating()) {
    return name == "cvt.rn" && with_whole(source, [&](auto zero) {
             return decode_whole_to_float<decltype(zero)>(type, statement, operands, to);
           });
  }
  if (!source.is_floating()) {
    return name == "cvt" && with_whole(source, [&](auto zero) {
             decode_whole_to_whole<decltype(zero)>(statement, operands, to);
             return true;
           });
  }
  if (source.bits == 64) return decode_float_to_whole<double>(type, statement, operands, to);
  if (source.bits == 32) return decode_float_to_whole<float>(type, statement, operands, to);
  return source.bfloat ? decode_float_to_whole<BFloat>(type, statement, operands, to)
                       : decode_float_to_whole<Half>(type, statement, operands, to);
}

}  // namespace gable::emulated
