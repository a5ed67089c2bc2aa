#include "tests/gpu/emulated/ptx/text.hpp"

#include <algorithm>
#include <charconv>

namespace gable::emulated {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

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
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
  const char marker = text.size() > 2 && text[0] == '0' ? text[1] : ' ';
  std::optional<std::uint64_t> value;
  switch (marker) {
    case 'f':
    case 'F':
    case 'd':
    case 'D':
      if (negative) return std::nullopt;
      [[fallthrough]];
    case 'x':
    case 'X':
      value = whole_number(text.substr(2), 16);
      break;
    case 'b':
    case 'B':
      value = whole_number(text.substr(2), 2);
      break;
    default:
      value = whole_number(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
  }
  if (value && negative) value = 0 - *value;
  return value;
}

std::string without_comments(std::string_view text) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find('/', at)) != std::string::npos;) {
    const bool block = result.compare(at, 2, "/*") == 0;
    if (!block && result.compare(at, 2, "//") != 0) {
      ++at;
      continue;
    }
    auto end = result.find(block ? "*/" : "\n", at + 2);
    end = end == std::string::npos ? result.size() : end + (block ? 2 : 0);
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(at), result.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = end;
  }
  return result;
}

}  // namespace gable::emulated
