#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/questions/interchange/numbers.hpp"
#include "core/text/csv_table.hpp"

namespace gable::interchange {

/// Calls `take(line, number)` with every line of a text, without its line break; numbers count from 1.
template <class Take>
void for_each_line(std::string_view text, Take&& take) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    take(line, number);
    begin = end + 1;
  }
}

/// The cells of one line of CSV, in the place of others. Throws Error "line N: …" that says so where the line was cut
/// off.
void read_cells(std::string_view line, int number, std::vector<std::string>& cells, char separator = ',');

/// Where a name stands among others; nothing where it does not.
std::optional<std::size_t> index_of(const std::vector<std::string>& names, std::string_view name);
/// The same of columns. Throws Error naming the one that is missing.
std::size_t column_of(const std::vector<std::string>& names, std::string_view name);

/// A table with a line of names above it, as profilers write it: more columns than are asked for, in any order. Its
/// rows are the lines below the names, each read when the one before it is done with: 10^6 of them would fill the
/// memory.
class Sheet {
 public:
  /// Of a text that is a table and nothing else, and stays where it is. The cells of the column `free_text` may have
  /// commas and no quotes around them: what a line has too many belongs there. Throws Error for a text without lines
  /// below the names, or without that column.
  explicit Sheet(std::string_view text, std::string_view free_text = {});

  std::optional<std::size_t> find(std::string_view column) const { return index_of(names_, column); }
  /// Throws Error naming the column.
  std::size_t column(std::string_view name) const { return column_of(names_, name); }
  const std::vector<std::string>& names() const { return names_; }

  /// Reading a row throws Error "line N: …" where it has another number of cells.
  class Iterator {
   public:
    explicit Iterator(const Sheet& sheet) : sheet_(sheet), reader_(sheet.below_names_) { ++*this; }
    const CsvRecord& operator*() const { return row_; }
    Iterator& operator++();
    bool operator==(std::default_sentinel_t) const { return !is_there_; }

   private:
    const Sheet& sheet_;
    CsvReader reader_;
    CsvRecord row_;
    bool is_there_{};
  };
  Iterator begin() const { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::vector<std::string> names_;
  CsvReader below_names_;
  std::optional<std::size_t> free_text_;
};

inline std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// Whether one of the first lines of a text holds all parts of one of the alternatives.
bool early_line_has(std::string_view text, std::initializer_list<std::initializer_list<std::string_view>> alternatives);

/// What a tool writes and nobody can read here, by the parts of one of its first lines, and what to do instead.
struct OtherForm {
  std::array<std::string_view, 3> line;
  std::string_view means;
};
/// What the first of the forms that a text has means; empty where it has none.
std::string_view why_not_read(std::string_view text, std::span<const OtherForm> forms);

}  // namespace gable::interchange
