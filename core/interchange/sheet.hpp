#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/interchange/numbers.hpp"
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

/// The cells of one line of CSV. Throws Error "line N: …" that says so where the line was cut off.
std::vector<std::string> cells_of(std::string_view line, int number);

/// A table with a line of names above it, as profilers write it: more columns than are asked for, in any order.
class Sheet {
 public:
  /// Of a text that is a table and nothing else. Throws Error "line N: …" for a line with another number of cells.
  explicit Sheet(std::string_view text);

  std::optional<std::size_t> find(std::string_view column) const;
  /// Throws Error naming the column.
  std::size_t column(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<CsvRecord>& rows() const { return rows_; }

 private:
  std::vector<std::string> names_;
  std::vector<CsvRecord> rows_;
};

/// Without the blanks around it.
std::string_view trimmed(std::string_view text);

/// Whether one of the first lines of a text holds all of these.
bool early_line_has(std::string_view text, std::initializer_list<std::string_view> parts);

}  // namespace gable::interchange
