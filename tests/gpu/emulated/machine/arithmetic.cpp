// Arithmetic of whole numbers and of fp32 and fp64, which is exact IEEE arithmetic. Functions with .approx and .full
// are computed in fp64 and rounded once: a GPU's results differ from them by some units in the last place.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

#include "tests/gpu/emulated/machine/extremum.hpp"
#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// Numbers wrap around: they are added and multiplied as unsigned ones of 64 bits.
template <class T>
std::uint64_t unsigned_of(T value) {
  return static_cast<std::uint64_t>(value);
}
template <class T>
T sum(T a, T b) {
  return static_cast<T>(unsigned_of(a) + unsigned_of(b));
}
template <class T>
T difference(T a, T b) {
  return static_cast<T>(unsigned_of(a) - unsigned_of(b));
}
template <class T>
T low_product(T a, T b) {
  return static_cast<T>(unsigned_of(a) * unsigned_of(b));
}
template <class T>
T high_product(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, Int128, UInt128>;
  return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> (8 * sizeof(T)));
}
/// Twice as many bits: of 16 and 32.
template <class T>
auto wide_product(T a, T b) {
  using Twice = std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>;
  using Wide = std::conditional_t<std::is_signed_v<T>, Twice, std::make_unsigned_t<Twice>>;
  return static_cast<Wide>(static_cast<std::int64_t>(a) * static_cast<std::int64_t>(b));
}
template <class T>
T saturated(std::int64_t value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(std::clamp<std::int64_t>(value, Limits::min(), Limits::max()));
}

/// A divisor of zero is no error on a GPU: every bit of the quotient is set.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return difference(T{0}, a);
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}

template <class T>
void decode_product(const Statement& statement, Operands& operands, Instruction& to) {
  const bool adds = statement.name == "mad";
  if (statement.has("wide")) {
    if constexpr (sizeof(T) < 8) {
      using Wide = decltype(wide_product(T{}, T{}));
      if (!adds) return lanewise<T, T>(statement, operands, to, [](T a, T b) { return wide_product(a, b); });
      return lanewise<T, T, Wide>(statement, operands, to, [](T a, T b, Wide c) { return sum(wide_product(a, b), c); });
    }
    refuse(statement, "a product of more than 64 bits");
  }
  if (statement.has("hi")) {
    if (!adds) return lanewise<T, T>(statement, operands, to, [](T a, T b) { return high_product(a, b); });
    return lanewise<T, T, T>(statement, operands, to, [](T a, T b, T c) { return sum(high_product(a, b), c); });
  }
  if (!adds) return lanewise<T, T>(statement, operands, to, [](T a, T b) { return low_product(a, b); });
  lanewise<T, T, T>(statement, operands, to, [](T a, T b, T c) { return sum(low_product(a, b), c); });
}

/// mul24 and mad24: of the lower 24 bits of both factors, the lower 32 bits of the product or those from bit 16 on.
template <class T>
void decode_24_bits(const Statement& statement, Operands& operands, Instruction& to) {
  const int shift = statement.has("hi") ? 16 : 0;
  const auto product = [shift](T a, T b) {
    const auto low = [](T x) { return static_cast<std::int64_t>(static_cast<T>(unsigned_of(x) << 8) >> 8); };
    return static_cast<T>(low(a) * low(b) >> shift);
  };
  if (statement.name == "mul24") return lanewise<T, T>(statement, operands, to, product);
  lanewise<T, T, T>(statement, operands, to, [product](T a, T b, T c) { return sum(product(a, b), c); });
}

/// Instructions that give (.cc) or take (addc, subc, madc) the carry of a lane.
template <class T>
void decode_carry(const Statement& statement, Operands& operands, Instruction& to) {
  using Unsigned = std::make_unsigned_t<T>;
  const bool subtracts = statement.name.substr(0, 3) == "sub", multiplies = statement.name.substr(0, 3) == "mad";
  const bool takes = statement.name.back() == 'c', gives = statement.has("cc"), high = statement.has("hi");
  if (statement.has("wide")) refuse(statement, "a carry of a wide product");
  const Register destination = operands.value(statement.operand(0));
  to.destinations = {destination};
  for (std::size_t i = 1; i < (multiplies ? 4 : 3); ++i) to.sources.push_back(operands.value(statement.operand(i)));
  to.execute = [=, sources = to.sources](Warp& warp, LaneMask mask) {
    for_lanes(mask, [&](int lane) {
      const auto source = [&](std::size_t i) { return value_of<T>(warp.values(sources[i])[lane]); };
      T first = source(0);
      if (multiplies) first = high ? high_product(first, source(1)) : low_product(first, source(1));
      const auto a = static_cast<Unsigned>(first), b = static_cast<Unsigned>(source(sources.size() - 1));
      std::uint8_t& carry = warp.carry[static_cast<std::size_t>(lane)];
      const Unsigned before = takes ? carry : 0;
      Unsigned result = 0;
      bool over = subtracts ? __builtin_sub_overflow(a, b, &result) : __builtin_add_overflow(a, b, &result);
      over |=
          subtracts ? __builtin_sub_overflow(result, before, &result) : __builtin_add_overflow(result, before, &result);
      if (gives) carry = over;
      warp.values(destination)[lane] = bits_of(result);
    });
  };
}

template <class T>
void decode_integer(const Statement& statement, Operands& operands, Instruction& to) {
  const std::string& name = statement.name;
  const auto unary = [&](auto operation) { lanewise<T>(statement, operands, to, operation); };
  const auto binary = [&](auto operation) { lanewise<T, T>(statement, operands, to, operation); };
  if (statement.has("cc") || name == "addc" || name == "subc" || name == "madc") {
    return decode_carry<T>(statement, operands, to);
  }
  if (statement.has("sat")) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      const int sign = name == "add" ? 1 : -1;
      return binary([sign](T a, T b) { return saturated<T>(std::int64_t{a} + sign * std::int64_t{b}); });
    }
    refuse(statement, "saturation of this type is not emulated");
  }
  if (name == "add") return binary([](T a, T b) { return sum(a, b); });
  if (name == "sub") return binary([](T a, T b) { return difference(a, b); });
  if (name == "mul" || name == "mad") return decode_product<T>(statement, operands, to);
  if (name == "mul24" || name == "mad24") return decode_24_bits<T>(statement, operands, to);
  if (name == "div") return binary([](T a, T b) { return quotient(a, b); });
  if (name == "rem") return binary([](T a, T b) { return remainder(a, b); });
  if (name == "min") return binary([](T a, T b) { return std::min(a, b); });
  if (name == "max") return binary([](T a, T b) { return std::max(a, b); });
  if (name == "neg") return unary([](T a) { return difference(T{0}, a); });
  if (name == "abs") return unary([](T a) { return a < 0 ? difference(T{0}, a) : a; });
  lanewise<T, T, T>(statement, operands, to,
                    [](T a, T b, T c) { return sum(c, a < b ? difference(b, a) : difference(a, b)); });  // sad
}

/// dp4a: four products of bytes. dp2a: two of 2-byte numbers and the lower or upper two bytes.
void decode_dot_product(const Statement& statement, Operands& operands, Instruction& to) {
  const std::vector<Type> types = statement.types();
  if (types.size() != 2) refuse(statement, "a form that is not emulated");
  const bool of_bytes = statement.name == "dp4a";
  const int count = of_bytes ? 4 : 2, a_bits = of_bytes ? 8 : 16, b_first = statement.has("hi") ? 2 : 0;
  const auto element = [](std::uint32_t packed, int bits, int i, bool is_signed) {
    const std::int64_t value = packed >> (bits * i) & ((1U << bits) - 1);
    return is_signed && value >> (bits - 1) != 0 ? value - (std::int64_t{1} << bits) : value;
  };
  const bool a_signed = types[0].is_signed(), b_signed = types[1].is_signed();
  using U = std::uint32_t;
  lanewise<U, U, U>(statement, operands, to, [=](U a, U b, U c) {
    auto total = static_cast<std::int64_t>(c);
    for (int i = 0; i < count; ++i) total += element(a, a_bits, i, a_signed) * element(b, 8, b_first + i, b_signed);
    return static_cast<U>(total);
  });
}

/// A rounding mode of the processor, for as long as this lives.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(FE_TONEAREST); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;
};
/// The compiler does not know rounding modes; it must not move arithmetic across a change of it.
template <class T>
T pinned(T value) {
  const volatile T here = value;
  return here;
}

/// A GPU has one fp32 that is not a number.
float canonical(float value) { return std::isnan(value) ? value_of<float>(0x7fffffff) : value; }
double canonical(double value) { return value; }

/// lanewise() with the modifiers .ftz, .sat, .rz, .rm and .rp.
template <class... Sources, class Operation>
void floating(const Statement& statement, Operands& operands, Instruction& to, Operation operation) {
  const bool flush = statement.has("ftz"), saturate = statement.has("sat");
  const int mode = statement.has("rz")   ? FE_TOWARDZERO
                   : statement.has("rm") ? FE_DOWNWARD
                   : statement.has("rp") ? FE_UPWARD
                                         : FE_TONEAREST;
  const auto before = [flush](auto value) { return flush ? flushed(value) : value; };
  const auto after = [flush, saturate](auto value) {
    if (flush) value = flushed(value);
    if (saturate) value = value > 0 ? std::min(value, decltype(value){1}) : 0;
    return canonical(value);
  };
  if (mode != FE_TONEAREST) {
    lanewise<Sources...>(statement, operands, to, [=](Sources... values) {
      const RoundingMode rounding(mode);
      return after(pinned(operation(pinned(before(values))...)));
    });
  } else if (flush || saturate) {
    lanewise<Sources...>(statement, operands, to,
                         [=](Sources... values) { return after(operation(before(values)...)); });
  } else {
    lanewise<Sources...>(statement, operands, to, [=](Sources... values) { return canonical(operation(values...)); });
  }
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper 32 bits, to 32 bits.
void decode_upper_half(const Statement& statement, Operands& operands, Instruction& to) {
  const auto upper = [](double value) {
    if (std::isnan(value)) return value_of<double>(0x7fffffff00000000);
    const std::uint64_t bits = bits_of(value);
    const bool subnormal = (bits & 0x7ff0000000000000) == 0;
    return value_of<double>(bits & (subnormal ? 0x8000000000000000 : 0xffffffff00000000));
  };
  const bool root = statement.name == "rsqrt";
  lanewise<double>(statement, operands, to,
                   [=](double a) { return upper(1 / (root ? std::sqrt(upper(a)) : upper(a))); });
}

template <class T>
void decode_extremum(const Statement& statement, Operands& operands, Instruction& to) {
  const bool least = statement.name == "min", keeps_nan = statement.has("NaN");
  const auto two = [=](T a, T b) { return extremum(a, b, least, keeps_nan); };
  if (statement.operands.size() < 4) return floating<T, T>(statement, operands, to, two);
  floating<T, T, T>(statement, operands, to, [two](T a, T b, T c) { return two(two(a, b), c); });
}

template <class T>
void decode_floating(const Statement& statement, Operands& operands, Instruction& to) {
  const std::string& name = statement.name;
  const auto unary = [&](auto operation) { floating<T>(statement, operands, to, operation); };
  const auto binary = [&](auto operation) { floating<T, T>(statement, operands, to, operation); };
  const auto in_double = [&](double (*function)(double)) {
    unary([function](T a) { return static_cast<T>(function(static_cast<double>(a))); });
  };
  if (name == "add") return binary([](T a, T b) { return a + b; });
  if (name == "sub") return binary([](T a, T b) { return a - b; });
  if (name == "mul") return binary([](T a, T b) { return a * b; });
  if (name == "fma" || name == "mad") {
    return floating<T, T, T>(statement, operands, to, [](T a, T b, T c) { return std::fma(a, b, c); });
  }
  if (name == "div") return binary([](T a, T b) { return a / b; });
  if (name == "min" || name == "max") return decode_extremum<T>(statement, operands, to);
  if (name == "abs") return unary([](T a) { return std::abs(a); });
  if (name == "neg") return unary([](T a) { return -a; });
  if (name == "sqrt") return unary([](T a) { return std::sqrt(a); });
  if (name == "copysign") {
    return lanewise<T, T>(statement, operands, to, [](T sign, T a) { return std::copysign(a, sign); });
  }
  if (name == "rcp" || name == "rsqrt") {
    if (std::is_same_v<T, double> && statement.has("ftz")) return decode_upper_half(statement, operands, to);
    if (name == "rcp") return unary([](T a) { return 1 / a; });
    return in_double([](double a) { return 1 / std::sqrt(a); });
  }
  if (name == "ex2") return in_double([](double a) { return std::exp2(a); });
  if (name == "lg2") return in_double([](double a) { return std::log2(a); });
  if (name == "sin") return in_double([](double a) { return std::sin(a); });
  if (name == "cos") return in_double([](double a) { return std::cos(a); });
  in_double([](double a) { return std::tanh(a); });
}

/// Instructions, and the modifiers that each may have.
using Modifiers = std::map<std::string_view, std::string_view>;
const Modifiers& integer_modifiers() {
  static const Modifiers all{{"add", " sat cc "},
                             {"sub", " sat cc "},
                             {"addc", " cc "},
                             {"subc", " cc "},
                             {"mul", " lo hi wide "},
                             {"mad", " lo hi wide cc "},
                             {"div", ""},
                             {"madc", " lo hi cc "},
                             {"mul24", " lo hi "},
                             {"rem", ""},
                             {"mad24", " lo hi "},
                             {"sad", ""},
                             {"min", ""},
                             {"max", ""},
                             {"abs", ""},
                             {"neg", ""},
                             {"dp4a", ""},
                             {"dp2a", " lo hi "}};
  return all;
}
const Modifiers& floating_modifiers() {
  static const Modifiers all{{"add", " rn rz rm rp ftz sat "},
                             {"sub", " rn rz rm rp ftz sat "},
                             {"mul", " rn rz rm rp ftz sat "},
                             {"fma", " rn rz rm rp ftz sat "},
                             {"mad", " rn rz rm rp ftz sat "},
                             {"div", " rn rz rm rp ftz approx full "},
                             {"rcp", " rn rz rm rp ftz approx "},
                             {"sqrt", " rn rz rm rp ftz approx "},
                             {"min", " ftz NaN "},
                             {"max", " ftz NaN "},
                             {"abs", " ftz "},
                             {"neg", " ftz "},
                             {"rsqrt", " approx ftz "},
                             {"ex2", " approx ftz "},
                             {"lg2", " approx ftz "},
                             {"sin", " approx ftz "},
                             {"cos", " approx ftz "},
                             {"tanh", " approx "},
                             {"copysign", ""}};
  return all;
}

}  // namespace

bool decode_arithmetic(const Statement& statement, Operands& operands, Instruction& to) {
  const Type type = statement.type();
  if (type.kind == Type::Kind::none || type.is_small_float()) return false;
  const Modifiers& instructions = type.is_floating() ? floating_modifiers() : integer_modifiers();
  const auto found = instructions.find(statement.name);
  if (found == instructions.end()) return false;
  allow(statement, found->second);
  if (type.is_floating()) {
    type.bits == 64 ? decode_floating<double>(statement, operands, to)
                    : decode_floating<float>(statement, operands, to);
  } else if (statement.name.substr(0, 2) == "dp") {
    decode_dot_product(statement, operands, to);
  } else {
    with_integer(statement, type, [&](auto zero) { decode_integer<decltype(zero)>(statement, operands, to); });
  }
  return true;
}

}  // namespace gable::emulated
