#include "core/text/safe_text.hpp"

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "core/text/parse_number.hpp"

namespace gable {
namespace {

using Utf8 = boost::locale::utf::utf_traits<char>;
using boost::locale::utf::code_point;

constexpr code_point replacement = 0xFFFD;

bool is_control(code_point c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }
/// Embeddings, overrides and isolates of bidirectional text.
bool turns_direction(code_point c) { return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069); }
bool is_no_character(code_point c) { return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF); }

code_point plain(code_point c) {
  if (c == '\n' || c == '\t') return ' ';
  if (!boost::locale::utf::is_valid_codepoint(c) || is_no_character(c)) return replacement;
  return is_control(c) || turns_direction(c) ? '?' : c;
}

/// Whether the whole text is a number.
bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number<double>(text).has_value();
}

/// The text with other texts in the place of some characters.
std::string escaped(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> escapes) {
  std::string result;
  for (const char c : text) {
    const auto found = std::ranges::find(escapes, c, [](const auto& one) { return one.first; });
    result += found == escapes.end() ? std::string_view(&c, 1) : found->second;
  }
  return result;
}

}  // namespace

std::string from_utf16(std::string text) {
  const bool little = text.starts_with("\xFF\xFE"), big = text.starts_with("\xFE\xFF");
  if (!little && !big) return text;
  const auto unit = [&](std::size_t at) -> code_point {
    const auto first = static_cast<unsigned char>(text[at]), second = static_cast<unsigned char>(text[at + 1]);
    return little ? first | second << 8U : second | first << 8U;
  };
  std::string utf8;
  utf8.reserve(text.size() / 2);
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    const code_point one = unit(at);
    const bool pair = one >= 0xD800 && one < 0xDC00 && at + 3 < text.size();
    const code_point other = pair ? unit(at + 2) : 0;
    if (other >= 0xDC00 && other < 0xE000) {
      Utf8::encode(0x10000 + ((one - 0xD800) << 10) + (other - 0xDC00), std::back_inserter(utf8));
      at += 2;
    } else if (one >= 0xD800 && one < 0xE000) {
      utf8 += '\xFF';
    } else {
      Utf8::encode(one, std::back_inserter(utf8));
    }
  }
  return utf8;
}

std::string as_utf8(std::string given) {
  std::string text = from_utf16(std::move(given));
  for (auto at = text.cbegin(); at != text.cend();) {
    if (boost::locale::utf::is_valid_codepoint(Utf8::decode(at, text.cend()))) continue;
    std::string read;
    for (const char byte : text) Utf8::encode(static_cast<unsigned char>(byte), std::back_inserter(read));
    return read;
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string clean;
  for (auto at = text.begin(); at != text.end();) {
    const code_point c = Utf8::decode(at, text.end());
    Utf8::encode(plain(c), std::back_inserter(clean));
  }
  return clean;
}

std::string for_markup(std::string_view text) {
  return escaped(printable(text), {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string for_gnuplot(std::string_view text) {
  std::string clean = printable(text);
  for (std::size_t at = clean.find("]]>"); at != std::string::npos; at = clean.find("]]>", at))
    clean.insert(at + 2, " ");
  // only octal codes of what has a meaning within double quotes, a backquote among it, which would run a program
  return '"' + escaped(clean, {{'"', "\\042"}, {'\\', "\\134"}, {'`', "\\140"}}) + '"';
}

std::string for_csv(std::string_view given) {
  constexpr std::string_view formulas = "=@+-\t\r";
  const bool formula = !given.empty() && formulas.find(given.front()) != std::string_view::npos && !is_number(given);
  std::string cell = formula ? "'" : "";
  for (std::size_t begin = 0; begin <= given.size();) {  // line feeds stay
    const std::size_t end = std::min(given.find('\n', begin), given.size());
    cell += (begin > 0 ? "\n" : "") + printable(given.substr(begin, end - begin));
    begin = end + 1;
  }
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return '"' + escaped(cell, {{'"', "\"\""}}) + '"';
}

std::string for_file_name(std::string_view text) {
  constexpr std::size_t longest = 200;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  std::string name(text.substr(0, longest));
  std::ranges::replace_if(
      name, [&](char c) { return !is_plain(c); }, '_');
  if (name.empty()) return "_";
  if (name.front() == '.' || name.front() == '-') name.front() = '_';
  return name;
}

std::string for_shell(std::string_view text) { return '\'' + escaped(text, {{'\'', "'\\''"}}) + '\''; }

}  // namespace gable
