#include "tests/gpu/emulated/ptx/statement.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {

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
