#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace gable {

/// The names of an enumeration, both ways. One table an enumeration is all that its to_string and parse need.
template <class Enum, std::size_t N>
struct EnumNames {
  std::array<std::pair<Enum, std::string_view>, N> table;

  constexpr std::string_view name(Enum value) const {
    for (const auto& [entry, text] : table) {
      if (entry == value) return text;
    }
    return {};
  }
  constexpr std::optional<Enum> parse(std::string_view text) const {
    for (const auto& [entry, entry_text] : table) {
      if (entry_text == text) return entry;
    }
    return {};
  }
};

/// enum_names<E>({{E::a, "a"}, {E::b, "b"}})
template <class Enum, std::size_t N>
constexpr EnumNames<Enum, N> enum_names(const std::pair<Enum, std::string_view> (&entries)[N]) {
  return {std::to_array(entries)};
}

}  // namespace gable
