#pragma once
#include <string_view>

namespace gable {

/// What HTML and XML write in place of a character that is theirs, inside text and attributes in double quotes: one of
/// & < > ". Empty for any other.
constexpr std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

}  // namespace gable
