#include "tests/gpu/emulated/ptx/module.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <sstream>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/ptx/statement.hpp"

namespace gable::emulated {
namespace {

std::string without_comments(std::string_view text) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find("//", at)) != std::string::npos;) {
    result.erase(at, result.find('\n', at) - at);
  }
  return result;
}

/// Where the brace that opens at `open` closes.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  throw EmulationError("a brace does not close: " + std::string(text.substr(open, 80)));
}

/// The most threads that ".maxntid 256, 1, 1" or .reqntid behind a kernel's parameters allows.
std::uint32_t read_max_threads(const std::string& directives) {
  const auto at = directives.find("ntid ");
  if (at == std::string::npos) return 1024;
  std::istringstream numbers(directives.substr(at + 5));
  std::uint32_t threads = 1, number = 0;
  for (char comma = ','; comma == ',' && numbers >> number; numbers >> comma) threads *= number;
  return threads;
}

bool is_line_directive(std::string_view text) {
  static constexpr std::array<std::string_view, 4> all{".version", ".target", ".address_size", ".file"};
  return std::any_of(all.begin(), all.end(), [text](std::string_view one) { return text.starts_with(one); });
}

}  // namespace

Variable read_variable(std::string_view declaration) {
  Variable variable;
  const auto bracket = std::min(declaration.find('['), declaration.size());
  std::istringstream words{std::string(declaration.substr(0, bracket))};
  std::optional<std::uint64_t> alignment = 1, count = 1;
  bool pointer = false;  // what follows .ptr is said of the memory that the parameter points to
  for (std::string word; words >> word; variable.name = word) {
    const Type type = word[0] == '.' ? type_of(std::string_view(word).substr(1)) : Type{};
    if (type.bits != 0) variable.element = static_cast<std::uint64_t>(type.register_bits() + 7) / 8;
    variable.external |= word == ".extern";
    variable.shared |= word == ".shared";
    variable.constant |= word == ".const";
    pointer |= word == ".ptr";
    if (word == ".align" && words >> word && !pointer) alignment = literal(word);
  }
  if (bracket != declaration.size()) {
    const std::string number = trimmed(declaration.substr(bracket));
    count = number == "[]" ? 0 : literal(std::string_view(number).substr(1, number.find(']') - 1));
  }
  if (variable.name.empty() || variable.name[0] == '.' || variable.element == 0 || !count || !alignment)
    throw EmulationError("no declaration: " + std::string(declaration));
  variable.size = variable.element * *count;
  variable.alignment = std::max(*alignment, variable.element);
  return variable;
}

Module::Module(std::string_view source) {
  const std::string whole = without_comments(source);
  const std::string_view text = whole;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\n\r;", at)) != text.npos;) {
    if (is_line_directive(text.substr(at))) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const auto end = text.find_first_of(";{", at);
    const std::string head = trimmed(text.substr(at, end - at));
    if (end == text.npos) throw EmulationError("no end: " + head.substr(0, 80));
    const auto last = text[end] == '{' ? closing(text, end) : end;
    const std::string_view braced = last == end ? "" : text.substr(end + 1, last - end - 1);
    at = last + 1;
    if (head.find(".entry") != head.npos) {
      add_kernel(head, braced);
    } else if (!head.starts_with(".section") && !head.starts_with(".pragma") && head.find(".func") == head.npos) {
      add_variable(head, braced);
    }
  }
}

Module::~Module() {
  for (const auto& [name, variable] : variables) {
    if (variable.storage != nullptr) forget(variable.storage);
  }
}

/// Of a head like ".visible .entry name(.param .u64 first) .maxntid 128".
void Module::add_kernel(const std::string& head, std::string_view body) {
  const auto name = head.find(".entry") + 6, open = head.find('('), close = head.rfind(')');
  if (open == head.npos || close == head.npos) throw EmulationError("no kernel: " + head);
  auto function = std::make_unique<Function>();
  function->module = this;
  function->body = body;
  function->name = trimmed(head.substr(name, open - name));
  function->max_threads = read_max_threads(head.substr(close));
  for (const std::string& one : split(head.substr(open + 1, close - open - 1), ',')) {
    const Variable parameter = read_variable(one);
    const std::uint64_t offset = rounded_up(function->parameter_bytes, parameter.alignment);
    function->parameters.push_back({parameter.name, parameter.size, offset});
    function->parameter_bytes = offset + parameter.size;
  }
  functions[function->name] = std::move(function);
}

/// `values`: what stands in braces behind "=".
void Module::add_variable(const std::string& head, std::string_view values) {
  constexpr std::uint64_t alignment = 256;
  Variable variable = read_variable(std::string_view(head).substr(0, head.find('=')));
  if (variable.external && !variable.shared) throw EmulationError("not in this module: " + head);
  if ((head.find('=') == head.npos) != values.empty()) throw EmulationError("no list of initial values: " + head);
  if (variables.contains(variable.name)) throw EmulationError("declared twice: " + head);
  if (!variable.shared) {
    variable.memory = std::make_unique<std::byte[]>(variable.size + alignment);
    const auto address = reinterpret_cast<std::uintptr_t>(variable.memory.get());
    variable.storage = variable.memory.get() + (rounded_up(address, alignment) - address);
    const std::vector<std::string> numbers = split(values, ',');
    if (numbers.size() * variable.element > variable.size) throw EmulationError("too many values: " + head);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto value = literal(numbers[i]);
      if (!value) throw EmulationError("unknown initial value: " + numbers[i]);
      std::memcpy(variable.storage + i * variable.element, &*value, variable.element);
    }
    remember(variable.storage, variable.size, variable.constant);
  }
  variables[variable.name] = std::move(variable);
}

}  // namespace gable::emulated
