#include "tests/gpu/emulated/ptx/text.hpp"

#include <charconv>

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

}  // namespace gable::emulated
