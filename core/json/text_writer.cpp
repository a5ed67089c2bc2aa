#include "core/json/text_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/json/parse.hpp"

namespace gable {

void append_json_string(std::string& text, std::string_view value) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!std::ranges::all_of(value, plain)) {
    text += dump_json(nlohmann::json(value), -1);
    return;
  }
  text += '"';
  text += value;
  text += '"';
}

void append_json_number(std::string& text, std::int64_t value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

void append_json_number(std::string& text, double value) {
  // whole numbers of up to 15 digits are most of the figures of a profile, and have one form
  constexpr double most = 1e15;
  if (value >= 0 && value < most && value == std::trunc(value) && !std::signbit(value)) {
    append_json_number(text, static_cast<std::int64_t>(value));
    text += ".0";
    return;
  }
  text += std::isfinite(value) ? dump_json(nlohmann::json(value), -1) : "null";
}

void JsonTextWriter::open_line(std::string_view key) {
  to_.text += ",\n";
  to_.text.append(blanks_ + 1, ' ');
  to_.text += '"';
  to_.text += key;
  to_.text += "\": ";
}

void JsonTextWriter::close() {
  const auto first = to_.entries.begin() + static_cast<std::ptrdiff_t>(first_);
  std::sort(first, to_.entries.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  assert(std::ranges::adjacent_find(first, to_.entries.end(), {}, &JsonText::Entry::key) == to_.entries.end());
  to_.sorted.clear();
  for (auto entry = first; entry != to_.entries.end(); ++entry) {
    const std::size_t comma = entry == first ? 1 : 0;  // none before the first
    to_.sorted.append(to_.text, entry->begin + comma, entry->end - entry->begin - comma);
  }
  const bool empty = first == to_.entries.end();
  to_.entries.erase(first, to_.entries.end());
  to_.text.resize(begin_);
  to_.text += '{';
  to_.text += to_.sorted;
  if (!empty) to_.text.append(1, '\n').append(blanks_, ' ');
  to_.text += '}';
}

}  // namespace gable
