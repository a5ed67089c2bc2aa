#pragma once
#include <string_view>

namespace gable::emulated {

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

}  // namespace gable::emulated
