#pragma once
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace gable {

/// ASCII letters in lower case: names are compared so, everywhere.
inline std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The same in upper case: "cuda" is CUDA for people.
inline std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

}  // namespace gable
