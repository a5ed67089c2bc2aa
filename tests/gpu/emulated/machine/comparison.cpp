// Comparisons and what chooses by them.
#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

/// Those with u hold for what is not a number too, the others do not.
template <class T>
const std::vector<Opcode> comparisons{
    {"setp.eq", [](T a, T b) { return a == b; }},
    {"setp.ne", [](T a, T b) { return a < b || a > b; }},
    {"setp.lt", [](T a, T b) { return a < b; }},
    {"setp.le", [](T a, T b) { return a <= b; }},
    {"setp.gt", [](T a, T b) { return a > b; }},
    {"setp.ge", [](T a, T b) { return a >= b; }},
    {"setp.equ", [](T a, T b) { return !(a < b || a > b); }},
    {"setp.neu", [](T a, T b) { return !(a == b); }},
    {"setp.ltu", [](T a, T b) { return !(a >= b); }},
    {"setp.leu", [](T a, T b) { return !(a > b); }},
    {"setp.gtu", [](T a, T b) { return !(a <= b); }},
    {"setp.geu", [](T a, T b) { return !(a < b); }},
    {"setp.num", [](T a, T b) { return a == a && b == b; }},
    {"setp.nan", [](T a, T b) { return a != a || b != b; }},
};

}  // namespace

bool decode_comparison(const Statement& statement, Operands& operands, Instruction& to) {
  using U = std::uint64_t;
  static const std::vector<Opcode> choices{{"selp", [](U a, U b, U c) { return c != 0 ? a : b; }}};
  const Type type = statement.type();
  const std::string name = spelled(statement);
  const auto by = [&](const std::vector<Opcode>& all) { return decode_by(all, name, statement, operands, to); };
  if (by(choices)) return true;
  if (!type.is_floating()) return with_integer(type, [&](auto zero) { return by(comparisons<decltype(zero)>); });
  if (type.pair) return false;
  if (type.bits == 64) return by(comparisons<double>);
  if (type.bits == 32) return by(comparisons<float>);
  return by(type.bfloat ? comparisons<BFloat> : comparisons<Half>);
}

}  // namespace gable::emulated
