// Arithmetic of f16 and bf16, and of pairs of them: computed in fp64 so that rounding it once gives the exact result
// rounded. ex2 and tanh, which a GPU approximates, are rounded once too.
#include <algorithm>
#include <cmath>

#include "tests/gpu/emulated/machine/extremum.hpp"
#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

/// a + b. If that is no number of fp64, it lies between two, of which this is the one with an odd last bit: it rounds
/// to a shorter format like the exact sum does (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums",
/// 2008).
double sum_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a, error = (a - (sum - b_part)) + (b - b_part);
  const std::uint64_t bits = bits_of(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  return value_of<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// What the modifiers of a statement do to each element.
struct Element {
  Type type;
  bool flush, saturate, relu;

  double read(std::uint32_t bits) const { return flushed_if(floating_value(bits, type)); }
  std::uint32_t write(double value) const {
    if (saturate) value = value > 0 ? std::min(value, 1.0) : 0;
    if (relu && value <= 0) value = 0;
    const auto bits = static_cast<std::uint32_t>(floating_bits(value, type));
    return flush ? static_cast<std::uint32_t>(floating_bits(flushed_if(floating_value(bits, type)), type)) : bits;
  }

 private:
  double flushed_if(double value) const {
    const double smallest_normal = type.bfloat ? 0x1p-126 : 0x1p-14;
    return flush && std::abs(value) < smallest_normal ? std::copysign(0.0, value) : value;
  }
};

/// lanewise() for elements of 16 bits, one or two in a register.
template <class... Sources, class Operation>
bool elementwise(const Statement& statement, Operands& operands, Instruction& to, Operation operation) {
  const Type type = statement.type();
  const Element element{type, statement.has("ftz"), statement.has("sat"), statement.has("relu")};
  lanewise<Sources...>(statement, operands, to, [element, operation](Sources... sources) {
    std::uint32_t result = element.write(operation(element.read(sources)...));
    if (element.type.pair) result |= element.write(operation(element.read(sources >> 16)...)) << 16;
    return result;
  });
  return true;
}

}  // namespace

bool decode_small_float(const Statement& statement, Operands& operands, Instruction& to) {
  if (!statement.type().is_small_float()) return false;
  using Bits = std::uint32_t;
  const std::string& name = statement.name;
  const auto with = [&](std::string_view modifiers) {
    allow(statement, modifiers);
    if (statement.types().size() != 1) refuse(statement, "mixed types are not emulated");
  };
  const auto unary = [&](auto operation) { return elementwise<Bits>(statement, operands, to, operation); };
  const auto binary = [&](auto operation) { return elementwise<Bits, Bits>(statement, operands, to, operation); };
  if (name == "add" || name == "sub") {
    with(" rn ftz sat ");
    const double sign = name == "add" ? 1 : -1;
    return binary([sign](double a, double b) { return sum_to_odd(a, sign * b); });
  }
  if (name == "mul") {
    with(" rn ftz sat ");
    return binary([](double a, double b) { return a * b; });
  }
  if (name == "fma") {
    with(" rn ftz sat relu ");
    return elementwise<Bits, Bits, Bits>(statement, operands, to,
                                         [](double a, double b, double c) { return sum_to_odd(a * b, c); });
  }
  if (name == "min" || name == "max") {
    with(" ftz NaN ");
    const bool least = name == "min", keeps_nan = statement.has("NaN");
    return binary([=](double a, double b) { return extremum(a, b, least, keeps_nan); });
  }
  if (name == "abs" || name == "neg") {
    with(" ftz ");
    if (name == "abs") return unary([](double a) { return std::abs(a); });
    return unary([](double a) { return -a; });
  }
  if (name == "ex2" || name == "tanh") {
    with(" approx ftz ");
    if (name == "ex2") return unary([](double a) { return std::exp2(a); });
    return unary([](double a) { return std::tanh(a); });
  }
  return false;
}

}  // namespace gable::emulated
