// Arithmetic of whole numbers, and of floating-point numbers as IEEE has it. Functions with .approx and .full are
// computed in fp64 and rounded once: a GPU's results differ from them by some units in the last place.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <type_traits>

#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S8 = std::int8_t;
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// A divisor of zero is no error on a GPU: every bit of the quotient is set.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - static_cast<U64>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}

/// ab of twice as many bits as a and b, which have 16 or 32, and the upper half of any product.
template <class T>
auto wide_product(T a, T b) {
  using Twice = std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>;
  using Wide = std::conditional_t<std::is_signed_v<T>, Twice, std::make_unsigned_t<Twice>>;
  return static_cast<Wide>(static_cast<U64>(static_cast<Wide>(a)) * static_cast<U64>(static_cast<Wide>(b)));
}
template <class T>
T high_product(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, Int128, UInt128>;
  return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> (8 * sizeof(T)));
}

/// Numbers wrap around: the lower bits of sums and products are those of sums and products of whole registers.
template <class T>
const std::vector<Opcode> integer_operations{
    {"add", [](U64 a, U64 b) { return static_cast<T>(a + b); }},
    {"sub", [](U64 a, U64 b) { return static_cast<T>(a - b); }},
    {"mul.lo", [](U64 a, U64 b) { return static_cast<T>(a * b); }},
    {"mul.hi", [](T a, T b) { return high_product(a, b); }},
    {"mad.lo", [](U64 a, U64 b, U64 c) { return static_cast<T>(a * b + c); }},
    {"div", [](T a, T b) { return quotient(a, b); }},
    {"rem", [](T a, T b) { return remainder(a, b); }},
    {"min", [](T a, T b) { return std::min(a, b); }},
    {"max", [](T a, T b) { return std::max(a, b); }},
    {"neg", [](U64 a) { return static_cast<T>(0 - a); }},
    {"abs", [](T a) { return static_cast<T>(a < 0 ? 0 - static_cast<U64>(a) : static_cast<U64>(a)); }},
};
template <class T>
const std::vector<Opcode> wide_operations{{"mul.wide", [](T a, T b) { return wide_product(a, b); }}};

/// c and four products of bytes.
U32 dot_product(U32 a, U32 b, U32 c) {
  for (int i = 0; i < 32; i += 8) c += static_cast<U32>(static_cast<S8>(a >> i) * static_cast<S8>(b >> i));
  return c;
}
const std::vector<Opcode> dot_products{{"dp4a.s32.s32", [](U32 a, U32 b, U32 c) { return dot_product(a, b, c); }}};

/// min and max of PTX: -0 is less than +0, and one operand that is not a number is ignored.
template <class T>
T extremum(T a, T b, bool least) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  if (a == b) return std::signbit(a) == least ? a : b;
  return (a < b) == least ? a : b;
}

/// .ftz: a subnormal number becomes zero. Instructions of fp64 that have it read and write the upper 32 bits alone.
float flushed(float value) { return std::abs(value) < 0x1p-126F ? std::copysign(0.0F, value) : value; }
double flushed(double value) {
  const std::uint64_t bits = std::isnan(value) ? 0x7fffffff00000000 : bits_of(value);
  return value_of<double>(bits & (std::abs(value) < 0x1p-1022 ? 0x8000000000000000 : 0xffffffff00000000));
}

template <class T>
T in_double(double (*function)(double), T a) {
  return static_cast<T>(function(static_cast<double>(a)));
}
double inverse_root(double a) { return 1 / std::sqrt(a); }

/// Rounding, .approx and .full are no part of the names here.
template <class T>
const std::vector<Opcode> floating_operations{
    {"add", [](T a, T b) { return a + b; }},
    {"sub", [](T a, T b) { return a - b; }},
    {"mul", [](T a, T b) { return a * b; }},
    {"fma", [](T a, T b, T c) { return std::fma(a, b, c); }},
    {"div", [](T a, T b) { return a / b; }},
    {"rcp", [](T a) { return 1 / a; }},
    {"rcp.ftz", [](T a) { return flushed(1 / flushed(a)); }},
    {"sqrt", [](T a) { return std::sqrt(a); }},
    {"rsqrt", [](T a) { return in_double(inverse_root, a); }},
    {"rsqrt.ftz", [](T a) { return flushed(in_double(inverse_root, flushed(a))); }},
    {"ex2", [](T a) { return in_double(std::exp2, a); }},
    {"ex2.ftz", [](T a) { return flushed(in_double(std::exp2, flushed(a))); }},
    {"min", [](T a, T b) { return extremum(a, b, true); }},
    {"max", [](T a, T b) { return extremum(a, b, false); }},
    {"abs", [](T a) { return std::abs(a); }},
    {"neg", [](T a) { return -a; }},
};

/// a + b. If that is no number of fp64, it lies between two, of which this is the one with an odd last bit: it rounds
/// to a shorter format like the exact sum does (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums",
/// 2008).
double sum_to_odd(double a, double b) {
  const double sum = a + b, b_part = sum - a, error = (a - (sum - b_part)) + (b - b_part);
  const std::uint64_t bits = bits_of(sum), is_even = ~bits & 1;
  const std::uint64_t away = (error > 0) == (sum > 0) ? is_even : 0 - is_even;
  return value_of<double>(error < 0 || error > 0 ? bits + away : bits);
}

/// The function in fp64 of the elements of its arguments, one or two in a register, rounded once.
template <FloatFormat format, class Function, class... More>
SmallFloat<format> each(Function function, SmallFloat<format> first, More... more) {
  return SmallFloat<format>(function(static_cast<double>(first), static_cast<double>(more)...));
}
template <class T, class Function, class... More>
Pair<T> each(Function function, Pair<T> first, More... more) {
  return {each(function, first.low, more.low...), each(function, first.high, more.high...)};
}

using D = double;
template <class T>
const std::vector<Opcode> small_operations{
    {"add", [](T a, T b) { return each([](D x, D y) { return sum_to_odd(x, y); }, a, b); }},
    {"sub", [](T a, T b) { return each([](D x, D y) { return sum_to_odd(x, -y); }, a, b); }},
    {"mul", [](T a, T b) { return each([](D x, D y) { return x * y; }, a, b); }},
    {"fma", [](T a, T b, T c) { return each([](D x, D y, D z) { return sum_to_odd(x * y, z); }, a, b, c); }},
    {"min", [](T a, T b) { return each([](D x, D y) { return extremum(x, y, true); }, a, b); }},
    {"max", [](T a, T b) { return each([](D x, D y) { return extremum(x, y, false); }, a, b); }},
    {"abs", [](T a) { return each([](D x) { return std::abs(x); }, a); }},
    {"neg", [](T a) { return each([](D x) { return -x; }, a); }},
};

const std::vector<Opcode>& operations_of_floats(const Type& type) {
  if (type.bits == 64) return floating_operations<double>;
  if (type.bits == 32) return floating_operations<float>;
  if (type.bfloat) return type.pair ? small_operations<Pair<BFloat>> : small_operations<BFloat>;
  return type.pair ? small_operations<Pair<Half>> : small_operations<Half>;
}

bool decode_floating(const Statement& statement, Operands& operands, Instruction& to) {
  const Type type = statement.type();
  const std::string name = statement.name + (statement.has("ftz") ? ".ftz" : "");
  if (!decode_by(operations_of_floats(type), name, statement, operands, to)) return false;
  allow(statement, type.bits == 16 ? " rn " : " rn rz rm rp approx full ftz ");
  const int mode = statement.has("rz")   ? FE_TOWARDZERO
                   : statement.has("rm") ? FE_DOWNWARD
                   : statement.has("rp") ? FE_UPWARD
                                         : FE_TONEAREST;
  if (mode == FE_TONEAREST) return true;
  // The compiler does not know rounding modes. It moves nothing across a call of a function that it does not know.
  to.execute = [mode, rounded = std::move(to.execute)](Warp& warp, LaneMask mask) {
    std::fesetround(mode);
    rounded(warp, mask);
    std::fesetround(FE_TONEAREST);
  };
  return true;
}

}  // namespace

bool decode_arithmetic(const Statement& statement, Operands& operands, Instruction& to) {
  const Type type = statement.type();
  if (type.is_floating()) return decode_floating(statement, operands, to);
  if (statement.name == "dp4a") return decode_by(dot_products, spelled(statement, true), statement, operands, to);
  return with_integer(type, [&](auto zero) {
    using T = decltype(zero);
    const std::string name = spelled(statement);
    if constexpr (sizeof(T) < 8) {
      if (decode_by(wide_operations<T>, name, statement, operands, to)) return true;
    }
    return decode_by(integer_operations<T>, name, statement, operands, to);
  });
}

}  // namespace gable::emulated
