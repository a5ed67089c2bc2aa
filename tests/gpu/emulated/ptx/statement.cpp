#include "tests/gpu/emulated/ptx/statement.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {

std::string trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\n\r";
  const auto first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(white) - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c != separator || depth != 0) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  const std::string last = trimmed(text.substr(begin));
  if (!last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

std::optional<std::uint64_t> literal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.ends_with('U')) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {  // there are no octal numbers in what nvcc writes
    if (std::string_view("xXfFdD").find(text[1]) == std::string_view::npos) return std::nullopt;
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return negative ? 0 - value : value;
}

Type type_of(std::string_view name) {
  using Kind = Type::Kind;
  static constexpr std::array<std::pair<std::string_view, Kind>, 6> kinds{{{"bf", Kind::floating},
                                                                           {"tf", Kind::floating},
                                                                           {"f", Kind::floating},
                                                                           {"u", Kind::unsigned_integer},
                                                                           {"s", Kind::signed_integer},
                                                                           {"b", Kind::bits}}};
  if (name == "pred") return {Kind::predicate, 1};
  const bool pair = name.ends_with("x2");
  if (pair) name.remove_suffix(2);
  for (const auto& [letters, kind] : kinds) {
    if (!name.starts_with(letters)) continue;
    const auto bits = literal(name.substr(letters.size()));
    return bits ? Type{kind, static_cast<int>(*bits), pair, letters == "bf"} : Type{};
  }
  return {};
}

bool Statement::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::vector<Type> Statement::types() const {
  std::vector<Type> all;
  for (const std::string& modifier : modifiers) {
    if (const Type one = type_of(modifier); one.kind != Type::Kind::none) all.push_back(one);
  }
  return all;
}

Type Statement::type() const {
  const std::vector<Type> all = types();
  return all.empty() ? Type{} : all.back();
}

const std::string& Statement::operand(std::size_t i) const {
  if (i >= operands.size()) throw EmulationError("operand " + std::to_string(i + 1) + " is missing: " + text);
  return operands[i];
}

Statement read_statement(std::string_view text) {
  Statement statement;
  statement.text = trimmed(text);
  std::string rest = statement.text;
  const auto take_word = [&rest] {
    const std::string word = rest.substr(0, rest.find_first_of(" \t\n\r"));
    rest = trimmed(std::string_view(rest).substr(word.size()));
    return word;
  };
  if (rest.starts_with('@')) {
    statement.guard_negated = rest.starts_with("@!");
    statement.guard = take_word().substr(statement.guard_negated ? 2 : 1);
    if (statement.guard.empty()) throw EmulationError("no predicate behind the @: " + statement.text);
  }
  statement.modifiers = split(take_word(), '.');
  if (statement.modifiers.empty() || std::isalpha(static_cast<unsigned char>(statement.modifiers[0][0])) == 0) {
    throw EmulationError("no instruction: " + statement.text);
  }
  statement.name = statement.modifiers[0];
  statement.modifiers.erase(statement.modifiers.begin());
  statement.operands = split(rest, ',');
  return statement;
}

}  // namespace gable::emulated
