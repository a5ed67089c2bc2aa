#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gable::emulated {

/// Without white space at both ends.
std::string trimmed(std::string_view text);

/// The parts of `text` between separators that stand in no bracket of any kind, each trimmed.
std::vector<std::string> split(std::string_view text, char separator);

/// Bits of a literal of PTX: whole numbers, 0f… (fp32) and 0d… (fp64). Nothing if `text` is no literal.
std::optional<std::uint64_t> literal(std::string_view text);

/// A type of PTX that an instruction names: .u32, .f16x2, .bf16, .pred …
struct Type {
  enum class Kind : unsigned char { none, unsigned_integer, signed_integer, bits, floating, predicate };
  Kind kind = Kind::none;
  int bits = 0;         ///< of one element
  bool pair = false;    ///< two elements in one register of 32 bits
  bool bfloat = false;  ///< of 16 bits: bf16, else IEEE half precision

  bool is_floating() const { return kind == Kind::floating; }
  bool is_signed() const { return kind == Kind::signed_integer; }
  /// Arithmetic of 2-byte floating-point numbers and pairs of them has instructions of its own.
  bool is_small_float() const { return kind == Kind::floating && bits == 16; }
  int register_bits() const { return pair ? 32 : bits; }
};

/// Kind::none if `name`, without its dot, is no type.
Type type_of(std::string_view name);

/// An instruction as it is written, taken apart: "@%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+8]" has the guard "%p1", the
/// name "ld", the modifiers "global", "v2", "u32" and two operands.
struct Statement {
  std::string text;
  std::string guard;  ///< predicate register, empty without one
  bool guard_negated = false;
  std::string name;
  std::vector<std::string> modifiers;
  std::vector<std::string> operands;

  bool has(std::string_view modifier) const;
  /// Those of its modifiers that are types, in order.
  std::vector<Type> types() const;
  /// The last of its types, which is the one that most instructions compute in; Kind::none without any.
  Type type() const;
  /// Operand `i`. Throws EmulationError if there is none.
  const std::string& operand(std::size_t i) const;
};

/// Throws EmulationError if it cannot be taken apart.
Statement read_statement(std::string_view text);

}  // namespace gable::emulated
