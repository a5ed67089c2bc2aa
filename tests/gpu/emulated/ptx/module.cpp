#include "tests/gpu/emulated/ptx/module.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/ptx/declaration.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {
namespace {

constexpr std::uint64_t variable_alignment = 256;

/// Where the bracket that opens at `open` closes.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') i = std::min(text.find('"', i + 1), text.size() - 1);
    if (c == '{' || c == '(') ++depth;
    if ((c == '}' || c == ')') && --depth == 0) return i;
  }
  throw EmulationError("a bracket does not close: " + std::string(text.substr(open, 80)));
}

/// Parameters of a list, with their offsets, and the size of all.
std::vector<Parameter> read_parameters(std::string_view list, std::uint64_t& bytes) {
  std::vector<Parameter> parameters;
  bytes = 0;
  for (const std::string& one : split(list, ',')) {
    const Declaration declaration = read_declaration(one);
    bytes = rounded_up(bytes, declaration.alignment);
    parameters.push_back({declaration.name, declaration.size, declaration.alignment, bytes});
    bytes += declaration.size;
  }
  return parameters;
}

/// The most threads that ".maxntid 256, 1, 1" behind a kernel's parameters allows.
std::uint32_t read_max_threads(std::string_view performance) {
  for (const std::string_view name : {".maxntid", ".reqntid"}) {
    const auto at = performance.find(name);
    if (at == std::string_view::npos) continue;
    std::string_view numbers = performance.substr(at + name.size());
    numbers = numbers.substr(0, numbers.find('.'));
    std::uint64_t threads = 1;
    for (const std::string& number : split(numbers, ',')) {
      threads *= literal(number.substr(0, number.find_first_of(" \t\n"))).value_or(0);
    }
    if (threads == 0 || threads > 1024) throw EmulationError("no size of a block: " + std::string(performance));
    return static_cast<std::uint32_t>(threads);
  }
  return 1024;
}

class ModuleReader {
 public:
  ModuleReader(Module& module, std::string_view source) : module_(module), text_(without_comments(source)) {}

  void read() {
    while ((at_ = text_.find_first_not_of(" \t\n\r;", at_)) != std::string::npos) {
      if (!read_line()) read_item();
    }
  }

 private:
  /// Directives that end with the line.
  bool read_line() {
    for (const std::string_view directive : {".version", ".target", ".address_size", ".file"}) {
      if (text_.compare(at_, directive.size(), directive) != 0) continue;
      const auto end = std::min(text_.find('\n', at_), text_.size());
      const std::string rest =
          trimmed(std::string_view(text_).substr(at_ + directive.size(), end - at_ - directive.size()));
      if (directive == ".target") module_.target = split(rest, ',').at(0);
      at_ = end;
      return true;
    }
    return false;
  }

  void read_item() {
    const auto end = text_.find_first_of(";{", at_);
    const std::string head = trimmed(std::string_view(text_).substr(at_, end == std::string::npos ? end : end - at_));
    if (end == std::string::npos) throw EmulationError("no end: " + head.substr(0, 80));
    const bool is_function = head.find(".entry") != std::string::npos || head.find(".func") != std::string::npos;
    if (text_[end] == ';') {
      if (is_function) {
        add_function(head, "", true);
      } else if (head.compare(0, 7, ".pragma") != 0) {
        add_variable(head, "");
      }
      at_ = end + 1;
      return;
    }
    const auto close = closing(text_, end);
    const std::string_view braced = std::string_view(text_).substr(end + 1, close - end - 1);
    at_ = close + 1;
    if (is_function) {
      add_function(head, braced, false);
    } else if (head.compare(0, 8, ".section") != 0) {
      add_variable(head, braced);
    }
  }

  /// Of a head like ".visible .func (.param .b32 result) name(.param .b64 first) .noreturn".
  void add_function(const std::string& head, std::string_view body, bool is_external) {
    Function function;
    function.module = &module_;
    function.body = body;
    function.is_external = is_external;
    function.is_kernel = head.find(".entry") != std::string::npos;
    std::string rest =
        trimmed(std::string_view(head).substr(function.is_kernel ? head.find(".entry") + 6 : head.find(".func") + 5));
    const auto take_list = [&rest](std::uint64_t& bytes) {
      bytes = 0;
      if (rest.empty() || rest[0] != '(') return std::vector<Parameter>{};
      const auto close = closing(rest, 0);
      auto parameters = read_parameters(std::string_view(rest).substr(1, close - 1), bytes);
      rest = trimmed(std::string_view(rest).substr(close + 1));
      return parameters;
    };
    function.results = take_list(function.result_bytes);
    const auto end = std::min(rest.find_first_of(" \t\n\r("), rest.size());
    function.name = rest.substr(0, end);
    rest = trimmed(std::string_view(rest).substr(end));
    function.parameters = take_list(function.parameter_bytes);
    function.max_threads = read_max_threads(rest);
    auto& known = module_.functions[function.name];
    if (!known) known = std::make_unique<Function>();
    if (!is_external || known->module == nullptr) *known = std::move(function);
  }

  /// `braced`: what stands in braces behind "=".
  void add_variable(const std::string& text, std::string_view braced) {
    const auto equal = std::min(text.find('='), text.size());
    const Declaration declaration = read_declaration(std::string_view(text).substr(0, equal));
    Variable variable;
    variable.size = declaration.size;
    variable.alignment = declaration.alignment;
    if (declaration.space == "shared") {
      variable.space = Variable::Space::shared;
      variable.dynamic = declaration.external;
    } else if (declaration.space == "global" || declaration.space == "const") {
      if (declaration.external) throw EmulationError("the variable is of another module: " + text);
      if (declaration.space == "const") variable.space = Variable::Space::constant;
      store(variable, declaration,
            braced.empty() ? trimmed(std::string_view(text).substr(std::min(equal + 1, text.size())))
                           : std::string(braced));
    } else {
      throw EmulationError("unknown to the emulator: " + text);
    }
    if (!module_.variables.emplace(declaration.name, std::move(variable)).second) {
      throw EmulationError("declared twice: " + declaration.name);
    }
  }

  /// Gives a variable its memory and its initial values.
  void store(Variable& variable, const Declaration& declaration, const std::string& values) {
    variable.memory = std::make_unique<std::byte[]>(variable.size + variable_alignment);
    const auto address = reinterpret_cast<std::uintptr_t>(variable.memory.get());
    variable.storage = variable.memory.get() + (rounded_up(address, variable_alignment) - address);
    std::byte* to = variable.storage;
    for (const std::string& text : split(values, ',')) {
      auto value = literal(text);
      const auto other = value ? module_.variables.end() : module_.variables.find(text);
      if (other != module_.variables.end()) value = reinterpret_cast<std::uintptr_t>(other->second.storage);
      if (!value) throw EmulationError("unknown initial value of " + declaration.name + ": " + text);
      if (to + declaration.element > variable.storage + variable.size)
        throw EmulationError("too many values: " + declaration.name);
      std::memcpy(to, &*value, std::min<std::size_t>(declaration.element, sizeof *value));
      to += declaration.element;
    }
    remember(variable.storage, variable.size);
  }

  Module& module_;
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

Module::Module(std::string_view source) { ModuleReader(*this, source).read(); }

Module::~Module() {
  for (const auto& [name, variable] : variables) {
    if (variable.storage != nullptr) forget(variable.storage);
  }
}

}  // namespace gable::emulated
