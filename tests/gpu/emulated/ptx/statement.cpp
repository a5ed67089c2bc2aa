#include "tests/gpu/emulated/ptx/statement.hpp"

#include <algorithm>
#include <cctype>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {

bool Statement::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::vector<Type> Statement::types() const {
  std::vector<Type> all;
  for (const std::string& modifier : modifiers) {
    const Type one = type_of(modifier);
    if (one.kind != Type::Kind::none) all.push_back(one);
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
    const auto end = std::min(rest.find_first_of(" \t\n\r"), rest.size());
    const std::string word = rest.substr(0, end);
    rest = trimmed(std::string_view(rest).substr(end));
    return word;
  };
  if (!rest.empty() && rest[0] == '@') {
    statement.guard = take_word().substr(1);
    statement.guard_negated = !statement.guard.empty() && statement.guard[0] == '!';
    if (statement.guard_negated) statement.guard.erase(0, 1);
    if (statement.guard.empty()) throw EmulationError("no predicate behind the @: " + statement.text);
  }
  std::vector<std::string> names = split(take_word(), '.');
  if (names.empty() || names[0].empty() || std::isalpha(static_cast<unsigned char>(names[0][0])) == 0) {
    throw EmulationError("no instruction: " + statement.text);
  }
  statement.name = names[0];
  statement.modifiers.assign(names.begin() + 1, names.end());
  statement.operands = split(rest, ',');
  return statement;
}

}  // namespace gable::emulated
