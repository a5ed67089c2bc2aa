#include "core/questions/interchange/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "core/text/parse_number.hpp"

namespace gable::interchange {
namespace {

/// Without blanks around it and without separators that can only group: apostrophes and the several kinds of blank.
std::string bare(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool no_break = text.substr(i, 2) == "\xC2\xA0", narrow = text.substr(i, 3) == "\xE2\x80\xAF";
    if (no_break || narrow)
      i += narrow ? 2 : 1;
    else if (text[i] != ' ' && text[i] != '\'' && text[i] != '\t' && text[i] != '\r')
      digits += text[i];
  }
  return digits;
}

bool stands_for_none(std::string_view text) {
  constexpr std::array<std::string_view, 11> words{"",    "n/a", "N/A", "nan",  "NaN",   "-nan",
                                                   "nil", "-",   "inf", "-inf", "(!)n/a"};
  return std::ranges::count(words, text) > 0 || (text.starts_with('<') && text.ends_with('>'));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.,+-eE") == text.npos &&
         text.find_first_of("0123456789") != text.npos;
}

enum class Meaning { unknown, divides, groups };

/// What a separator does in this text, as far as the text alone tells.
Meaning meaning_of(char separator, std::string_view text) {
  const auto first = text.find(separator), last = text.rfind(separator);
  if (first == text.npos) return Meaning::unknown;
  if (first != last) return Meaning::groups;
  const char other = separator == '.' ? ',' : '.';
  if (const auto beside = text.find(other); beside != text.npos)
    return beside < first ? Meaning::divides : Meaning::groups;
  const auto whole = text.find_first_of("0123456789");
  const auto end = std::min(text.find_first_of("eE"), text.size());
  const bool zero_leads = whole != text.npos && whole < first && text[whole] == '0';
  const bool could_group = whole < first && first - whole <= 3 && end - first == 4 && end == text.size() && !zero_leads;
  return could_group ? Meaning::unknown : Meaning::divides;
}

/// Whether a separator divides in this text, where it divides in others: there once, and no other behind it.
bool divides_as_before(char separator, std::string_view text) {
  const auto at = text.find(separator);
  return at != text.npos && text.find_first_of(".,", at + 1) == text.npos;
}

}  // namespace

void Numbers::see(std::string_view text, int line) {
  any_comma_ = any_comma_ || text.find(',') != text.npos;
  const bool separated = text.find('.') != text.npos || text.find(',') != text.npos;
  if (!separated || (point_divides_ && comma_divides_)) return;
  if ((point_divides_ && divides_as_before('.', text)) || (comma_divides_ && divides_as_before(',', text))) return;
  const std::string digits = bare(text);
  if (!is_number(digits)) return;
  const auto note = [&](std::optional<Evidence>& evidence) {
    if (!evidence) evidence = Evidence{line, digits};
  };
  const Meaning point = meaning_of('.', digits), comma = meaning_of(',', digits);
  if (point == Meaning::divides || comma == Meaning::groups) note(point_divides_);
  if (comma == Meaning::divides || point == Meaning::groups) note(comma_divides_);
}

void Numbers::assume_points() {
  if (!any_comma_ && !point_divides_) point_divides_ = Evidence{1, "0.5"};
}

std::optional<std::string> Numbers::plain(std::string_view text, int line) const {
  std::string digits = bare(text);
  if (stands_for_none(digits)) return {};
  if (!is_number(digits)) fail_at(line, "'{:.60}' is not a number", text);
  const bool separated = digits.find_first_of(".,") != digits.npos;
  constexpr const char* advice = "export it again with LC_ALL=C";
  if (separated && point_divides_ && comma_divides_) {
    throw Error(fmt::format("lines {} and {}: '{}' and '{}' disagree on what points and commas mean: {}",
                            point_divides_->line, comma_divides_->line, point_divides_->text, comma_divides_->text,
                            advice));
  }
  if (separated && !point_divides_ && !comma_divides_) {
    fail_at(line, "'{}' may have a fraction of three digits or be in thousands, and no number of the file tells: {}",
            digits, advice);
  }
  if (separated) {
    std::erase(digits, point_divides_ ? ',' : '.');
    std::ranges::replace(digits, ',', '.');
  }
  if (digits.starts_with('+')) digits.erase(0, 1);
  return digits;
}

std::optional<double> Numbers::value(std::string_view text, int line) const {
  // most figures are whole numbers of few digits, in which nothing can be meant otherwise
  constexpr std::size_t exact = 15;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!text.empty() && text.size() <= exact && std::ranges::all_of(text, is_digit)) {
    std::int64_t whole = 0;
    for (const char c : text) whole = 10 * whole + (c - '0');
    return static_cast<double>(whole);
  }
  if (point_divides_ && !comma_divides_ && text.find_first_not_of("0123456789.") == text.npos) {
    if (const auto number = parse_number<double>(text)) return number;
  }
  const auto digits = plain(text, line);
  if (!digits) return {};
  const auto value = parse_number<double>(*digits);
  if (!value || !std::isfinite(*value)) fail_at(line, "'{:.60}' is not a number", text);
  return value;
}

std::optional<double> Numbers::difference(std::string_view end, std::string_view begin, int line) const {
  struct Parts {
    std::int64_t whole{};
    double fraction{};
  };
  const auto parts = [&](std::string_view text) -> std::optional<Parts> {
    const auto digits = plain(text, line);
    if (!digits || digits->empty() || digits->find_first_not_of("0123456789.") != std::string::npos) return {};
    Parts found;
    const char* const last = digits->data() + digits->size();
    const auto [rest, code] = std::from_chars(digits->data(), last, found.whole);
    if (code != std::errc{}) return {};
    if (rest == last) return found;
    const auto [end_of_fraction, error] = std::from_chars(rest, last, found.fraction);
    return error == std::errc{} && end_of_fraction == last ? std::optional{found} : std::nullopt;
  };
  const auto last = parts(end), first = parts(begin);
  if (last && first) return static_cast<double>(last->whole - first->whole) + (last->fraction - first->fraction);
  const auto later = value(end, line), earlier = value(begin, line);
  if (!later || !earlier) return {};
  return *later - *earlier;
}

std::optional<double> unit_factor(std::string_view unit, std::initializer_list<std::string_view> bases) {
  constexpr std::pair<std::string_view, double> prefixes[] = {
      {"", 1},    {"n", 1e-9}, {"u", 1e-6},    {"m", 1e-3},    {"K", 1e3},     {"k", 1e3},    {"M", 1e6},
      {"G", 1e9}, {"T", 1e12}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}};
  for (const auto& [prefix, factor] : prefixes) {
    if (unit.starts_with(prefix) && std::ranges::count(bases, unit.substr(prefix.size())) > 0) return factor;
  }
  return {};
}

}  // namespace gable::interchange
