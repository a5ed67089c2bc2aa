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
const std::vector<Opcode> operations{
    {"and", [](T a, T b) { return static_cast<T>(a & b); }},
    {"or", [](T a, T b) { return static_cast<T>(a | b); }},
    {"xor", [](T a, T b) { return static_cast<T>(a ^ b); }},
    {"not", [](T a) { return static_cast<T>(~a); }},
    {"shl", [](T a, U32 by) { return shifted_left(a, by); }},
    {"shr", [](T a, U32 by) { return shifted_right(a, by); }},
    {"bfe", [](T a, U32 first, U32 length) { return extracted_field(a, first, length); }},
    {"bfi", [](T field, T a, U32 first, U32 length) { return inserted_field(field, a, first, length); }},
    {"clz", [](T a) { return static_cast<U32>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a))); }},
};

/// Nibble i of the selector names the byte of {b, a} that becomes byte i, or with its bit 3 set that byte's sign.
U32 permuted(U32 a, U32 b, U32 selector) {
  const U64 bytes = U64{b} << 32 | a;
  U32 result = 0;
  for (U32 i = 0; i < 4; ++i) {
    const U32 choice = selector >> (4 * i) & 15, byte = static_cast<U32>(bytes >> (8 * (choice & 7))) & 0xff;
    result |= ((choice & 8) == 0 ? byte : byte >= 0x80 ? 0xff : 0) << (8 * i);
  }
  return result;
}

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
  static const std::vector<Opcode> permutation{{"prmt", [](U32 a, U32 b, U32 s) { return permuted(a, b, s); }}};
  if (type.kind == Type::Kind::bits && type.bits == 32 && by(permutation)) return true;
  return with_integer(type, [&](auto zero) { return by(operations<decltype(zero)>); });
}

}  // namespace gable::emulated
