#include "tests/gpu/emulated/ptx/declaration.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"
#include "tests/gpu/emulated/ptx/type.hpp"

namespace gable::emulated {
namespace {

bool is_space(std::string_view word) {
  static constexpr std::array<std::string_view, 6> spaces{".global", ".const", ".shared", ".local", ".param", ".reg"};
  return std::find(spaces.begin(), spaces.end(), word) != spaces.end();
}

/// How many elements "[4][8]" stands for; 0 for "[]".
std::uint64_t elements(std::string_view dimensions) {
  std::uint64_t count = 1;
  while (!dimensions.empty()) {
    const auto close = dimensions.find(']');
    if (dimensions[0] != '[' || close == std::string_view::npos)
      throw EmulationError("no array: " + std::string(dimensions));
    const std::string number = trimmed(dimensions.substr(1, close - 1));
    const auto value = number.empty() ? 0 : literal(number);
    if (!value) throw EmulationError("no number of elements: " + number);
    count *= *value;
    dimensions.remove_prefix(close + 1);
  }
  return count;
}

}  // namespace

Declaration read_declaration(std::string_view text) {
  Declaration declaration;
  const auto bracket = std::min(text.find('['), text.size());
  std::istringstream words{std::string(text.substr(0, bracket))};
  std::string word;
  bool pointee = false;  // what follows .ptr is said of the memory that the parameter points to
  while (words >> word) {
    const Type type = word[0] == '.' ? type_of(std::string_view(word).substr(1)) : Type{};
    if (word == ".align") {
      words >> word;
      const auto alignment = literal(word);
      if (!alignment || *alignment == 0) throw EmulationError("no alignment: " + std::string(text));
      if (!pointee) declaration.alignment = *alignment;
    } else if (word == ".ptr") {
      pointee = true;
    } else if (word == ".extern") {
      declaration.external = true;
    } else if (is_space(word)) {
      if (!pointee) declaration.space = word.substr(1);
    } else if (type.kind != Type::Kind::none) {
      declaration.predicate = type.kind == Type::Kind::predicate;
      declaration.element = static_cast<std::uint64_t>(type.register_bits() + 7) / 8;
    } else if (word[0] != '.') {
      declaration.name = word;
    }
  }
  if (declaration.name.empty() || declaration.element == 0)
    throw EmulationError("no declaration: " + std::string(text));
  declaration.size = declaration.element * elements(trimmed(text.substr(bracket)));
  declaration.alignment = std::max(declaration.alignment, declaration.element);
  return declaration;
}

}  // namespace gable::emulated
