// Logic, shifts and other work on the bits of a register.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class T>
constexpr U32 width = 8 * sizeof(T);

/// Shifts by the width and beyond leave nothing but copies of the sign.
template <class T>
T shifted_left(T value, U32 by) {
  return by >= width<T> ? T{0} : static_cast<T>(static_cast<U64>(value) << by);
}
template <class T>
T shifted_right(T value, U32 by) {
  return static_cast<T>(by >= width<T> ? (value < 0 ? -1 : 0) : value >> by);
}

/// bfe: `length` bits from bit `first` on, and copies of the last of them above if it is a sign.
template <class T>
T extracted_field(T value, U32 first, U32 length) {
  first &= 0xff;
  length &= 0xff;
  const U32 above = width<T> - std::min(first + length, width<T>);
  return length == 0 ? T{0} : shifted_right(shifted_left(value, above), above + first);
}
/// bfi: `value` with `length` bits from bit `first` on replaced by the lowest of `field`.
template <class T>
T inserted_field(T field, T value, U32 first, U32 length) {
  const T low = static_cast<T>(~shifted_left(static_cast<T>(~T{0}), length & 0xff));
  const T mask = shifted_left(low, first & 0xff);
  return static_cast<T>((shifted_left(field, first & 0xff) & mask) | (value & static_cast<T>(~mask)));
}

template <class T>
U32 leading_zeros(T value) {
  return static_cast<U32>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(value)));
}
/// bfind.shiftamt: how far the highest bit that differs from the sign is from the top; -1 if there is none.
template <class T>
U32 shift_to_top(T value) {
  const U32 zeros = leading_zeros(value < 0 ? static_cast<T>(~value) : value);
  return zeros == width<T> ? ~0U : zeros;
}
template <class T>
T reversed(T value) {
  T result = 0;
  for (U32 i = 0; i < width<T>; ++i) result = static_cast<T>(result | ((value >> i & 1) << (width<T> - 1 - i)));
  return result;
}

template <class T>
const std::vector<Opcode> operations{
    {"and", [](T a, T b) { return static_cast<T>(a & b); }},
    {"or", [](T a, T b) { return static_cast<T>(a | b); }},
    {"xor", [](T a, T b) { return static_cast<T>(a ^ b); }},
    {"not", [](T a) { return static_cast<T>(~a); }},
    {"shl", [](T a, U32 by) { return shifted_left(a, by); }},
    {"shr", [](T a, U32 by) { return shifted_right(a, by); }},
    {"bfe", [](T a, U32 first, U32 length) { return extracted_field(a, first, length); }},
    {"bfi", [](T field, T a, U32 first, U32 length) { return inserted_field(field, a, first, length); }},
    {"clz", [](T a) { return leading_zeros(a); }},
    {"brev", [](T a) { return reversed(a); }},
    {"popc", [](T a) { return static_cast<U32>(std::popcount(static_cast<std::make_unsigned_t<T>>(a))); }},
    {"bfind", [](T a) { return shift_to_top(a) == ~0U ? ~0U : width<T> - 1 - shift_to_top(a); }},
    {"bfind.shiftamt", [](T a) { return shift_to_top(a); }},
};

/// prmt: nibble i of the selector names the byte of {b, a} that becomes byte i, or with its bit 3 set that byte's sign.
U32 permuted(U32 a, U32 b, U32 selector) {
  const U64 bytes = U64{b} << 32 | a;
  U32 result = 0;
  for (U32 i = 0; i < 4; ++i) {
    const U32 choice = selector >> (4 * i) & 15, byte = static_cast<U32>(bytes >> (8 * (choice & 7))) & 0xff;
    result |= ((choice & 8) == 0 ? byte : byte >= 0x80 ? 0xff : 0) << (8 * i);
  }
  return result;
}

/// lop3: bit 4a + 2b + c of the table is the result for bits a, b and c.
U32 looked_up(U32 a, U32 b, U32 c, U32 table) {
  const auto row = [table](int i) { return 0 - (table >> i & 1); };
  const auto choice = [](U32 bit, U32 one, U32 zero) { return (bit & one) | (~bit & zero); };
  const U32 with_a = choice(b, choice(c, row(7), row(6)), choice(c, row(5), row(4)));
  return choice(a, with_a, choice(b, choice(c, row(3), row(2)), choice(c, row(1), row(0))));
}

U64 joined(U32 low, U32 high) { return U64{high} << 32 | low; }

const std::vector<Opcode> operations_of_words{
    {"prmt", [](U32 a, U32 b, U32 selector) { return permuted(a, b, selector); }},
    {"lop3", [](U32 a, U32 b, U32 c, U32 table) { return looked_up(a, b, c, table); }},
    {"shf.l.wrap", [](U32 a, U32 b, U32 by) { return static_cast<U32>(joined(a, b) << (by & 31) >> 32); }},
    {"shf.r.wrap", [](U32 a, U32 b, U32 by) { return static_cast<U32>(joined(a, b) >> (by & 31)); }},
    {"shf.l.clamp", [](U32 a, U32 b, U32 by) { return static_cast<U32>(joined(a, b) << std::min(by, 32U) >> 32); }},
    {"shf.r.clamp", [](U32 a, U32 b, U32 by) { return static_cast<U32>(joined(a, b) >> std::min(by, 32U)); }},
};

const std::vector<Opcode> operations_of_predicates{
    {"and", [](U64 a, U64 b) { return a != 0 && b != 0; }},
    {"or", [](U64 a, U64 b) { return a != 0 || b != 0; }},
    {"xor", [](U64 a, U64 b) { return (a != 0) != (b != 0); }},
    {"not", [](U64 a) { return a == 0; }},
};

}  // namespace

bool decode_bits(const Statement& statement, Operands& operands, Instruction& to) {
  const Type type = statement.type();
  const std::string name = spelled(statement);
  const auto by = [&](const std::vector<Opcode>& all) { return decode_by(all, name, statement, operands, to); };
  if (type.kind == Type::Kind::predicate) return by(operations_of_predicates);
  if (type.kind == Type::Kind::bits && type.bits == 32 && by(operations_of_words)) return true;
  return with_integer(type, [&](auto zero) { return by(operations<decltype(zero)>); });
}

}  // namespace gable::emulated
