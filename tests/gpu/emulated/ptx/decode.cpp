#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/module.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {
namespace {

using Family = bool (*)(const Statement&, Operands&, Instruction&);
constexpr std::array<Family, 14> families{decode_arithmetic, decode_move,         decode_memory,      decode_comparison,
                                          decode_bits,       decode_conversion,   decode_small_float, decode_matrix,
                                          decode_copy,       decode_exchange,     decode_barrier,     decode_atomic,
                                          decode_mbarrier,   decode_group_product};

/// What a call of a function that is in no module does.
void decode_external_call(const std::string& name, Instruction& to) {
  if (name != "vprintf") {
    to.execute = [name](Warp&, LaneMask) {
      throw EmulationError(name == "__assertfail" ? "an assertion failed" : name + " is in no module");
    };
    return;
  }
  if (to.results.size() != 1) throw EmulationError("vprintf has one result: " + to.text);
  to.execute = [result = to.results[0]](Warp& warp, LaneMask mask) {  // prints nothing
    const std::uint64_t* addresses = warp.values(result);
    for_lanes(mask, [&](int lane) { std::memset(reinterpret_cast<void*>(addresses[lane]), 0, sizeof(std::uint32_t)); });
  };
}

/// "call (results), name, (arguments)" and "call name, (arguments)".
void decode_call(const Statement& statement, Operands& operands, Instruction& to) {
  const auto list = [&](const std::string& text) {
    std::vector<Register> registers;
    if (text.size() < 2 || text.back() != ')') throw EmulationError("no list: " + statement.text);
    for (const std::string& one : split(std::string_view(text).substr(1, text.size() - 2), ',')) {
      registers.push_back(operands.symbol(one));
    }
    return registers;
  };
  const std::size_t name_at = statement.operand(0)[0] == '(' ? 1 : 0;
  if (name_at == 1) to.results = list(statement.operand(0));
  const std::string& name = statement.operand(name_at);
  if (statement.operands.size() > name_at + 1) to.arguments = list(statement.operand(name_at + 1));
  const auto& functions = operands.function().module->functions;
  const auto callee = functions.find(name);
  if (callee == functions.end() || statement.operands.size() > name_at + 2) {
    throw EmulationError("unknown function: " + statement.text);
  }
  if (callee->second->is_external) return decode_external_call(name, to);
  to.flow = Flow::call;
  to.callee = callee->second.get();
  if (to.arguments.size() != to.callee->parameters.size() || to.results.size() != to.callee->results.size()) {
    throw EmulationError("another number of arguments or results than the function has: " + statement.text);
  }
}

class Decoder {
 public:
  explicit Decoder(Function& function) : function_(function), operands_(function), text_(function.body) {}

  void decode() {
    while ((at_ = text_.find_first_not_of(" \t\n\r;", at_)) != std::string_view::npos) {
      if (text_[at_] == '{' || text_[at_] == '}') {
        text_[at_] == '{' ? operands_.open_scope() : operands_.close_scope();
        ++at_;
      } else if (!read_label()) {
        read();
      }
    }
    for (const auto& [number, label] : jumps_) {
      const auto target = labels_.find(label);
      if (target == labels_.end()) throw EmulationError("no label: " + function_.code[number].text);
      function_.code[number].target = target->second;
    }
    Instruction end;
    end.flow = Flow::return_;
    end.text = "ret";
    function_.code.push_back(std::move(end));
  }

 private:
  bool read_label() {
    std::size_t end = at_;
    const auto is_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
    };
    while (end < text_.size() && is_name(text_[end])) ++end;
    if (end == at_ || text_.substr(end, 1) != ":" || text_.substr(end, 2) == "::") return false;
    labels_[std::string(text_.substr(at_, end - at_))] = static_cast<int>(function_.code.size());
    at_ = end + 1;
    return true;
  }

  /// A declaration or an instruction.
  void read() {
    const bool is_line = text_.compare(at_, 5, ".loc ") == 0 || text_.compare(at_, 5, ".loc\t") == 0;
    const auto end = text_.find(is_line ? '\n' : ';', at_);
    if (end == std::string_view::npos) throw EmulationError("no end: " + trimmed(text_.substr(at_)));
    const std::string statement = trimmed(text_.substr(at_, end - at_));
    at_ = end + 1;
    if (statement[0] == '.') {
      operands_.declare(statement);
    } else {
      add(read_statement(statement));
    }
  }

  void add(const Statement& statement) {
    Instruction to;
    to.text = statement.text;
    to.guarded = !statement.guard.empty();
    to.guard_negated = statement.guard_negated;
    if (to.guarded) to.guard = operands_.value(statement.guard);
    if (statement.name == "bra") {
      to.flow = Flow::branch;
      jumps_.emplace_back(function_.code.size(), statement.operand(0));
    } else if (statement.name == "ret") {
      to.flow = Flow::return_;
    } else if (statement.name == "exit") {
      to.flow = Flow::exit;
    } else if (statement.name == "call") {
      decode_call(statement, operands_, to);
    } else if (std::none_of(families.begin(), families.end(),
                            [&](Family decode_family) { return decode_family(statement, operands_, to); })) {
      throw EmulationError("unknown instruction: " + statement.text);
    }
    if (std::any_of(to.destinations.begin(), to.destinations.end(), [](Register one) { return one < 0; })) {
      throw EmulationError("the result goes into no register: " + statement.text);
    }
    function_.uses_wgmma = function_.uses_wgmma || to.is_wgmma;
    function_.code.push_back(std::move(to));
  }

  Function& function_;
  Operands operands_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::map<std::string, int, std::less<>> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
};

}  // namespace

void decode(Function& function) {
  if (function.decoded) return;
  if (function.is_external) throw EmulationError(function.name + " is in no module");
  Decoder(function).decode();
  function.decoded = true;
}

}  // namespace gable::emulated
