#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/emulated/ptx/type.hpp"

namespace gable::emulated {

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
