#include "core/json/text_writer.hpp"

#include <algorithm>
#include <cassert>

namespace gable {

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
