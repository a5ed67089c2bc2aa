#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/emulated/ptx/module.hpp"
#include "tests/gpu/emulated/ptx/statement.hpp"

namespace gable::emulated {

/// An operand in brackets: the register with the address, and what is added to it.
struct Address {
  Register base;
  std::int64_t offset;
};

/// What the names in a function's body mean while it is decoded. Names are valid in the braces that declare them.
class Operands {
 public:
  explicit Operands(Function& function) : function_(function) {}

  void open_scope() { scopes_.emplace_back(); }
  void close_scope() { scopes_.pop_back(); }
  /// A declaration: .reg, .local or .shared. Throws EmulationError for others, .pragma excepted.
  void declare(const std::string& statement);

  /// The register of a name, literal, special register, or variable or parameter (its address). Throws EmulationError.
  Register value(std::string_view text);
  /// Those of "{a, b}", "a|b" or "a".
  std::vector<Register> values(std::string_view text);
  /// Of "[base+offset]".
  Address address(std::string_view text);
  /// Width in bits of a declared register; 64 for what is none.
  int bits(std::string_view text) const;

 private:
  struct Declared {
    Register number;
    int bits;
  };
  const Declared* find(std::string_view name) const;
  void declare_registers(const std::string& statement);
  Register make(std::string_view name);
  Register constant(std::uint64_t value);
  Register prepared(LaneValue value);

  Function& function_;
  std::vector<std::map<std::string, Declared, std::less<>>> scopes_{1};  ///< the innermost last
  std::map<std::string, Register, std::less<>> known_;                   ///< what was asked for and nobody declared
};

/// Each makes of a statement of its family what it does, or returns false if the statement is of another family. `to`
/// has its text and guard; execute, destinations and sources are what is filled in. Throw EmulationError for a form
/// that is not there.
bool decode_arithmetic(const Statement& statement, Operands& operands, Instruction& to);
bool decode_bits(const Statement& statement, Operands& operands, Instruction& to);
bool decode_comparison(const Statement& statement, Operands& operands, Instruction& to);
bool decode_conversion(const Statement& statement, Operands& operands, Instruction& to);
bool decode_move(const Statement& statement, Operands& operands, Instruction& to);
bool decode_barrier(const Statement& statement, Operands& operands, Instruction& to);
bool decode_exchange(const Statement& statement, Operands& operands, Instruction& to);
bool decode_memory(const Statement& statement, Operands& operands, Instruction& to);
bool decode_atomic(const Statement& statement, Operands& operands, Instruction& to);
bool decode_copy(const Statement& statement, Operands& operands, Instruction& to);
bool decode_mbarrier(const Statement& statement, Operands& operands, Instruction& to);
bool decode_matrix(const Statement& statement, Operands& operands, Instruction& to);
bool decode_group_product(const Statement& statement, Operands& operands, Instruction& to);

}  // namespace gable::emulated
