#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

/// The names of enumerators in files and messages. An enumeration whose enumerators have names of their own says them
/// once, beside its declaration:
///
///     constexpr auto names_of(Mode) { return names_up_to<Mode::full>("quick", "full"); }
///
/// That is all that to_string() and parse_name(), and so core/json, need.
namespace gable {

/// One name for each enumerator, in the order of their values, which begin with 0.
template <auto last, class... Names>
constexpr auto names_up_to(Names... names) {
  static_assert(sizeof...(names) == static_cast<std::size_t>(last) + 1);
  return std::array<std::string_view, sizeof...(names)>{names...};
}

template <class Enum>
concept Named = requires(Enum value) {
  names_of(value);
};

template <Named Enum>
constexpr std::string_view to_string(Enum value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

/// Every enumerator, in the order of their values.
template <Named Enum>
inline constexpr auto all_of = [] {
  std::array<Enum, names_of(Enum{}).size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}();

/// Nothing for a text that names no enumerator.
template <Named Enum>
constexpr std::optional<Enum> parse_name(std::string_view text) {
  constexpr auto names = names_of(Enum{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return {};
}

/// The words of enumerators as a table, both ways.
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
