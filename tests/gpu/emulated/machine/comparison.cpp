// Comparisons and what chooses by them.
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

// How two values relate, one bit each; a comparison is the set of relations for which it holds.
enum Relation : unsigned { less = 1, equal = 2, greater = 4, unordered = 8 };

std::optional<unsigned> relations_of(std::string_view comparison) {
  static const std::map<std::string_view, unsigned> all{
      {"eq", equal},
      {"ne", less | greater},
      {"lt", less},
      {"lo", less},
      {"le", less | equal},
      {"ls", less | equal},
      {"gt", greater},
      {"hi", greater},
      {"ge", greater | equal},
      {"hs", greater | equal},
      {"equ", equal | unordered},
      {"neu", less | greater | unordered},
      {"ltu", less | unordered},
      {"leu", less | equal | unordered},
      {"gtu", greater | unordered},
      {"geu", greater | equal | unordered},
      {"num", less | equal | greater},
      {"nan", unordered},
  };
  const auto found = all.find(comparison);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

template <class T>
unsigned relation(T a, T b) {
  return static_cast<unsigned>(a < b) * less | static_cast<unsigned>(a == b) * equal |
         static_cast<unsigned>(a > b) * greater | static_cast<unsigned>(a != a || b != b) * unordered;
}

/// Compares one element of the registers in all lanes: bit l of the result is whether one of `relations` holds in lane
/// l.
using Compare = LaneMask (*)(const std::uint64_t* a, const std::uint64_t* b, unsigned relations);

template <class Read>
LaneMask compare(const std::uint64_t* a, const std::uint64_t* b, unsigned relations) {
  LaneMask holds = 0;
  for (int lane = 0; lane < warp_size; ++lane) {
    const bool here = (relation(Read{}(a[lane]), Read{}(b[lane])) & relations) != 0;
    holds |= static_cast<LaneMask>(here) << lane;
  }
  return holds;
}
template <class T>
struct ReadPlain {
  T operator()(std::uint64_t bits) const { return value_of<T>(bits); }
};
struct ReadFlushed {
  float operator()(std::uint64_t bits) const { return flushed(value_of<float>(bits)); }
};
template <bool bfloat, int shift, bool flush>
struct ReadSmall {
  double operator()(std::uint64_t bits) const {
    const double value = floating_value(bits >> shift, {Type::Kind::floating, 16, false, bfloat});
    return flush && std::abs(value) < 0x1p-14 ? 0 : value;
  }
};

template <int shift>
Compare small_compare(const Statement& statement, const Type& type) {
  const bool flush = statement.has("ftz");
  if (flush && type.bfloat) refuse(statement, "a form that is not emulated");
  if (type.bfloat) return &compare<ReadSmall<true, shift, false>>;
  return flush ? &compare<ReadSmall<false, shift, true>> : &compare<ReadSmall<false, shift, false>>;
}

Compare compare_of(const Statement& statement, const Type& type) {
  if (type.is_small_float()) return small_compare<0>(statement, type);
  if (type.is_floating() && type.bits == 64) return &compare<ReadPlain<double>>;
  if (type.is_floating()) return statement.has("ftz") ? &compare<ReadFlushed> : &compare<ReadPlain<float>>;
  return with_integer(statement, type, [](auto zero) -> Compare { return &compare<ReadPlain<decltype(zero)>>; });
}

/// The part of setp and set that they have in common: a comparison, for pairs two, and what it is combined with.
class Comparison {
 public:
  Comparison(const Statement& statement, Operands& operands, Instruction& to) {
    allow(statement, " and or xor ftz eq ne lt lo le ls gt hi ge hs equ neu ltu leu gtu geu num nan ");
    const Type type = statement.type();
    const auto relations = relations_of(statement.modifiers.front());
    if (!relations) refuse(statement, "no comparison behind the name");
    relations_ = *relations;
    low_ = compare_of(statement, type);
    if (type.pair) high_ = small_compare<16>(statement, type);
    for (const char name : {'a', 'o', 'x'}) {
      if (statement.has(name == 'a' ? "and" : name == 'o' ? "or" : "xor")) combination_ = name;
    }
    a_ = operands.value(statement.operand(1));
    b_ = operands.value(statement.operand(2));
    to.sources = {a_, b_};
    if (statement.operands.size() != (combination_ == ' ' ? 3 : 4)) refuse(statement, "a form that is not emulated");
    if (combination_ == ' ') return;
    std::string_view name = statement.operand(3);
    negated_ = name.substr(0, 1) == "!";
    if (negated_) name.remove_prefix(1);
    combined_ = operands.value(name);
    to.sources.push_back(combined_);
  }

  bool is_pair() const { return high_ != nullptr; }
  LaneMask low(Warp& warp) const { return low_(warp.values(a_), warp.values(b_), relations_); }
  LaneMask high(Warp& warp) const { return high_(warp.values(a_), warp.values(b_), relations_); }
  LaneMask combine(Warp& warp, LaneMask holds) const {
    if (combination_ == ' ') return holds;
    const LaneMask other =
        compare<ReadPlain<std::uint64_t>>(warp.values(combined_), zeros().data(), negated_ ? equal : less | greater);
    return combination_ == 'a' ? holds & other : combination_ == 'o' ? holds | other : holds ^ other;
  }

 private:
  static const LaneValues& zeros() {
    static const LaneValues all{};
    return all;
  }
  unsigned relations_ = 0;
  Compare low_ = nullptr, high_ = nullptr;
  Register a_ = 0, b_ = 0, combined_ = 0;
  char combination_ = ' ';  ///< a, o, x: and, or, xor
  bool negated_ = false;
};

/// The values that a register gets by a comparison in the lanes of `holds`, and zero elsewhere.
LaneValues spread(LaneMask holds, std::uint64_t value) {
  LaneValues values;
  for (std::size_t lane = 0; lane < warp_size; ++lane) values[lane] = (holds >> lane & 1) != 0 ? value : 0;
  return values;
}

/// "setp p|q, a, b": p is what was asked for, q the opposite; for pairs the lower and the upper element.
void decode_setp(const Statement& statement, Operands& operands, Instruction& to) {
  const std::vector<Register> results = operands.values(statement.operand(0));
  for (const Register result : results) {
    if (result != no_register) to.destinations.push_back(result);
  }
  to.execute = [results, comparison = Comparison(statement, operands, to)](Warp& warp, LaneMask mask) {
    const LaneMask first = comparison.low(warp);
    const LaneMask second = results.size() < 2 ? 0 : comparison.is_pair() ? comparison.high(warp) : ~first;
    const LaneMask p = comparison.combine(warp, first), q = comparison.combine(warp, second);
    write(warp, mask, results[0], spread(p, 1));
    if (results.size() > 1) write(warp, mask, results[1], spread(q, 1));
  };
}

/// set: 1.0 or all bits of the destination's type.
void decode_set(const Statement& statement, Operands& operands, Instruction& to) {
  const std::vector<Type> types = statement.types();
  if (types.size() != 2) refuse(statement, "a form that is not emulated");
  const Type result = types.front();
  const int element_bits = types.back().pair ? 16 : result.bits;
  const std::uint64_t yes = result.is_floating() ? floating_bits(1, result) : (std::uint64_t{1} << element_bits) - 1;
  const Register destination = operands.value(statement.operand(0));
  to.destinations = {destination};
  to.execute = [=, comparison = Comparison(statement, operands, to)](Warp& warp, LaneMask mask) {
    LaneValues values = spread(comparison.combine(warp, comparison.low(warp)), yes);
    if (comparison.is_pair()) {
      const LaneValues high = spread(comparison.combine(warp, comparison.high(warp)), yes << 16);
      for (std::size_t lane = 0; lane < warp_size; ++lane) values[lane] |= high[lane];
    }
    write(warp, mask, destination, values);
  };
}

void decode_slct(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " ftz ");
  using U = std::uint64_t;
  if (!statement.type().is_floating()) {
    return lanewise<U, U, std::int32_t>(statement, operands, to,
                                        [](U a, U b, std::int32_t c) { return c >= 0 ? a : b; });
  }
  const bool flush = statement.has("ftz");
  lanewise<U, U, float>(statement, operands, to,
                        [flush](U a, U b, float c) { return (flush ? flushed(c) : c) >= 0 ? a : b; });
}

void decode_testp(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " finite infinite number notanumber normal subnormal ");
  const std::string question = statement.modifiers.front();
  const auto answer = [question](auto value) -> std::uint64_t {
    if (question == "finite") return std::isfinite(value);
    if (question == "infinite") return std::isinf(value);
    if (question == "number") return !std::isnan(value);
    if (question == "notanumber") return std::isnan(value);
    return std::fpclassify(value) == (question == "normal" ? FP_NORMAL : FP_SUBNORMAL);
  };
  if (statement.type().bits == 64) return lanewise<double>(statement, operands, to, answer);
  lanewise<float>(statement, operands, to, answer);
}

}  // namespace

bool decode_comparison(const Statement& statement, Operands& operands, Instruction& to) {
  using U = std::uint64_t;
  if (statement.name == "setp") {
    decode_setp(statement, operands, to);
  } else if (statement.name == "set") {
    decode_set(statement, operands, to);
  } else if (statement.name == "selp") {
    allow(statement, "");
    lanewise<U, U, U>(statement, operands, to, [](U a, U b, U c) { return c != 0 ? a : b; });
  } else if (statement.name == "slct") {
    decode_slct(statement, operands, to);
  } else if (statement.name == "testp") {
    decode_testp(statement, operands, to);
  } else {
    return false;
  }
  return true;
}

}  // namespace gable::emulated
