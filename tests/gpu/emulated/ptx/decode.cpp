#include <algorithm>
#include <array>
#include <map>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/ptx/module.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"

namespace gable::emulated {
namespace {

using Family = bool (*)(const Statement&, Operands&, Instruction&);
constexpr std::array<Family, 13> families{decode_arithmetic,   decode_move,       decode_memory, decode_comparison,
                                          decode_bits,         decode_conversion, decode_matrix, decode_copy,
                                          decode_exchange,     decode_barrier,    decode_atomic, decode_mbarrier,
                                          decode_group_product};

Instruction make_instruction(const Statement& statement, Operands& operands) {
  Instruction to;
  to.text = statement.text;
  to.guarded = !statement.guard.empty();
  to.guard_negated = statement.guard_negated;
  if (to.guarded) to.guard = operands.value(statement.guard);
  if (statement.name == "bra") {
    to.flow = Flow::branch;
  } else if (statement.name == "ret" || statement.name == "exit") {
    to.flow = Flow::exit;
  } else if (std::none_of(families.begin(), families.end(),
                          [&](Family decode_family) { return decode_family(statement, operands, to); })) {
    throw EmulationError("unknown instruction: " + statement.text);
  }
  if (std::any_of(to.destinations.begin(), to.destinations.end(), [](Register one) { return one < 0; })) {
    throw EmulationError("the result goes into no register: " + statement.text);
  }
  return to;
}

}  // namespace

void decode(Function& function) {
  if (!function.code.empty()) return;
  Operands operands(function);
  std::vector<Instruction> code;
  std::map<std::string, int, std::less<>> labels;
  const std::string_view text = function.body;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\n\r;", at)) != text.npos;) {
    const auto word_end = std::min(text.find_first_of(" \t\n\r;:", at), text.size());
    if (text[at] == '{' || text[at] == '}') {
      text[at++] == '{' ? operands.open_scope() : operands.close_scope();
    } else if (text.substr(word_end, 1) == ":" && text.substr(word_end, 2) != "::") {
      const std::string label(text.substr(at, word_end - at));
      if (!labels.try_emplace(label, static_cast<int>(code.size())).second) {
        throw EmulationError("a second label " + label);
      }
      at = word_end + 1;
    } else {
      const auto end = text.find(';', at);
      const std::string statement = trimmed(text.substr(at, end - at));
      if (end == text.npos) throw EmulationError("no end: " + statement);
      at = end + 1;
      if (statement[0] == '.') {
        operands.declare(statement);
      } else {
        code.push_back(make_instruction(read_statement(statement), operands));
      }
    }
  }
  code.push_back(make_instruction(read_statement("ret"), operands));
  for (Instruction& one : code) {
    function.uses_wgmma = function.uses_wgmma || one.wgmma_shape != 0;
    if (one.flow != Flow::branch) continue;
    const auto target = labels.find(one.text.substr(one.text.find_last_of(" \t") + 1));
    if (target == labels.end()) throw EmulationError("no label: " + one.text);
    one.target = target->second;
  }
  function.code = std::move(code);
}

}  // namespace gable::emulated
