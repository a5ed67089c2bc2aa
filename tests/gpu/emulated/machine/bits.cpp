// Logic, shifts and other work on the bits of a register.
#include <algorithm>
#include <map>
#include <type_traits>

#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {
namespace {

using U32 = std::uint32_t;

template <class T>
constexpr U32 width = 8 * sizeof(T);

/// Bits [0, count) set; all of them from the type's width on.
template <class T>
T low_bits(U32 count) {
  return count >= width<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
}

/// Shifts by the width and beyond leave nothing but copies of the sign.
template <class T>
T shifted_left(T value, U32 by) {
  return by >= width<T> ? T{0} : static_cast<T>(static_cast<std::uint64_t>(value) << by);
}
template <class T>
T shifted_right(T value, U32 by) {
  return static_cast<T>(by >= width<T> ? (value < 0 ? -1 : 0) : value >> by);
}

template <class T>
T extracted_field(T value, U32 first, U32 length) {
  using U = std::make_unsigned_t<T>;
  first &= 0xff;
  length &= 0xff;
  const U bits = static_cast<U>(value);
  const U field = static_cast<U>(shifted_right(bits, first) & low_bits<U>(length));
  if (!std::is_signed_v<T> || length == 0) return static_cast<T>(field);
  const bool negative = (bits >> std::min(first + length - 1, width<T> - 1) & 1) != 0;
  const U32 inside = first >= width<T> ? 0 : std::min(length, width<T> - first);
  return static_cast<T>(negative ? field | static_cast<U>(~low_bits<U>(inside)) : field);
}
template <class T>
T inserted_field(T field, T value, U32 first, U32 length) {
  const T mask = shifted_left(low_bits<T>(length & 0xff), first & 0xff);
  return static_cast<T>((shifted_left(field, first & 0xff) & mask) | (value & static_cast<T>(~mask)));
}

template <class T>
U32 leading_zeros(T value) {
  const auto bits = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
  return bits == 0 ? width<T> : static_cast<U32>(__builtin_clzll(bits)) - (64 - width<T>);
}
/// Of the highest bit that differs from the sign; -1 if there is none.
template <class T>
U32 highest_bit(T value, bool as_shift) {
  const U32 zeros = leading_zeros(value < 0 ? static_cast<T>(~value) : value);
  if (zeros == width<T>) return ~0U;
  return as_shift ? zeros : width<T> - 1 - zeros;
}
template <class T>
T reversed(T value) {
  T result = 0;
  for (U32 i = 0; i < width<T>; ++i) result = static_cast<T>(result | ((value >> i & 1) << (width<T> - 1 - i)));
  return result;
}

/// Which byte of the eight of {b, a} goes to byte `i`, in the modes of prmt that have a name.
U32 chosen_byte(std::string_view mode, U32 selector, U32 i) {
  selector &= 3;
  if (mode == "f4e") return selector + i;
  if (mode == "b4e") return (selector - i) & 7;
  if (mode == "rc8") return selector;
  if (mode == "ecl") return std::max(selector, i);
  if (mode == "ecr") return std::min(selector, i);
  return (selector & 1) * 2 + (i & 1);  // rc16
}
void decode_permutation(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " f4e b4e rc8 ecl ecr rc16 ");
  std::string mode = statement.modifiers.back();
  if (type_of(mode).kind != Type::Kind::none) mode.clear();
  lanewise<U32, U32, U32>(statement, operands, to, [mode](U32 a, U32 b, U32 selector) {
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    U32 result = 0;
    for (U32 i = 0; i < 4; ++i) {
      const U32 choice = mode.empty() ? selector >> (4 * i) & 15 : chosen_byte(mode, selector, i);
      U32 byte = static_cast<U32>(bytes >> (8 * (choice & 7))) & 0xff;
      if ((choice & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // its sign instead
      result |= byte << (8 * i);
    }
    return result;
  });
}

/// Bit 4a + 2b + c of the table is the result for bits a, b and c.
U32 looked_up(U32 a, U32 b, U32 c, U32 table) {
  U32 result = 0;
  for (U32 row = 0; row < 8; ++row) {
    const U32 here = ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
    result |= (table >> row & 1) != 0 ? here : 0;
  }
  return result;
}

/// 32 bits of {b, a}.
void decode_funnel_shift(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " l r clamp wrap ");
  const bool left = statement.has("l"), clamps = statement.has("clamp");
  lanewise<U32, U32, U32>(statement, operands, to, [=](U32 a, U32 b, U32 count) {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    const U32 by = clamps ? std::min(count, 32U) : count & 31;
    return static_cast<U32>(left ? both << by >> 32 : both >> by);
  });
}

/// bmsk: `length` bits set from bit `first` on.
U32 bit_mask(U32 first, U32 length, bool clamps) {
  if (!clamps) {
    first &= 31;
    length &= 31;
  }
  return shifted_left(low_bits<U32>(length), first);
}
/// szext: the lower `length` bits, and zeros or copies of the last of them above.
U32 extended(U32 value, U32 length, bool clamps, bool is_signed) {
  if (!clamps) length &= 31;
  if (length >= 32) return value;
  const bool negative = is_signed && length != 0 && (value >> (length - 1) & 1) != 0;
  return negative ? value | ~low_bits<U32>(length) : value & low_bits<U32>(length);
}
/// fns: where the n-th set bit is, from bit `base` up or, with a negative n, down.
U32 nth_set_bit(U32 mask, U32 base, std::int32_t n) {
  const int step = n < 0 ? -1 : 1;
  int left = n == 0 ? 0 : n * step - 1;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && left-- == 0) return static_cast<U32>(at);
    if (n == 0) break;
  }
  return ~0U;
}

template <class T>
void decode_of_width(const Statement& statement, Operands& operands, Instruction& to) {
  const std::string& name = statement.name;
  const auto unary = [&](auto operation) { lanewise<T>(statement, operands, to, operation); };
  const auto binary = [&](auto operation) { lanewise<T, T>(statement, operands, to, operation); };
  if (name == "and") return binary([](T a, T b) { return static_cast<T>(a & b); });
  if (name == "or") return binary([](T a, T b) { return static_cast<T>(a | b); });
  if (name == "xor") return binary([](T a, T b) { return static_cast<T>(a ^ b); });
  if (name == "not") return unary([](T a) { return static_cast<T>(~a); });
  if (name == "cnot") return unary([](T a) { return static_cast<T>(a == 0); });
  if (name == "shl") return lanewise<T, U32>(statement, operands, to, [](T a, U32 by) { return shifted_left(a, by); });
  if (name == "shr") return lanewise<T, U32>(statement, operands, to, [](T a, U32 by) { return shifted_right(a, by); });
  if (name == "bfe") return lanewise<T, U32, U32>(statement, operands, to, &extracted_field<T>);
  if (name == "bfi") return lanewise<T, T, U32, U32>(statement, operands, to, &inserted_field<T>);
  if (name == "clz") return unary([](T a) { return leading_zeros(a); });
  if (name == "brev") return unary([](T a) { return reversed(a); });
  if (name == "popc") {
    return unary([](T a) { return static_cast<U32>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(a))); });
  }
  const bool as_shift = statement.has("shiftamt");  // bfind
  unary([as_shift](T a) { return highest_bit(a, as_shift); });
}

void decode_predicate_logic(const Statement& statement, Operands& operands, Instruction& to) {
  using P = std::uint64_t;
  const auto binary = [&](auto operation) { lanewise<P, P>(statement, operands, to, operation); };
  if (statement.name == "and") return binary([](P a, P b) { return P{a != 0 && b != 0}; });
  if (statement.name == "or") return binary([](P a, P b) { return P{a != 0 || b != 0}; });
  if (statement.name == "xor") return binary([](P a, P b) { return P{(a != 0) != (b != 0)}; });
  if (statement.name != "not") refuse(statement, "predicates have and, or, xor and not only");
  lanewise<P>(statement, operands, to, [](P a) { return P{a == 0}; });
}

}  // namespace

bool decode_bits(const Statement& statement, Operands& operands, Instruction& to) {
  static const std::map<std::string_view, std::string_view> simple{{"and", ""},
                                                                   {"or", ""},
                                                                   {"xor", ""},
                                                                   {"not", ""},
                                                                   {"cnot", ""},
                                                                   {"shl", ""},
                                                                   {"shr", ""},
                                                                   {"bfe", ""},
                                                                   {"bfi", ""},
                                                                   {"clz", ""},
                                                                   {"brev", ""},
                                                                   {"popc", ""},
                                                                   {"bfind", " shiftamt "}};
  const Type type = statement.type();
  if (const auto found = simple.find(statement.name); found != simple.end()) {
    allow(statement, found->second);
    if (type.kind == Type::Kind::predicate) {
      decode_predicate_logic(statement, operands, to);
    } else {
      with_integer(statement, type, [&](auto zero) { decode_of_width<decltype(zero)>(statement, operands, to); });
    }
  } else if (statement.name == "prmt") {
    decode_permutation(statement, operands, to);
  } else if (statement.name == "shf") {
    decode_funnel_shift(statement, operands, to);
  } else if (statement.name == "lop3") {
    allow(statement, "");
    lanewise<U32, U32, U32, U32>(statement, operands, to, &looked_up);
  } else if (statement.name == "bmsk" || statement.name == "szext") {
    allow(statement, " clamp wrap ");
    const bool masks = statement.name == "bmsk", clamps = statement.has("clamp"), is_signed = type.is_signed();
    lanewise<U32, U32>(statement, operands, to, [=](U32 a, U32 b) {
      return masks ? bit_mask(a, b, clamps) : extended(a, b, clamps, is_signed);
    });
  } else if (statement.name == "fns") {
    allow(statement, "");
    lanewise<U32, U32, std::int32_t>(statement, operands, to, &nth_set_bit);
  } else {
    return false;
  }
  return true;
}

}  // namespace gable::emulated
