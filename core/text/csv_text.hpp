#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// CSV as RFC 4180 has it, without knowing what the cells mean.
namespace gable {

/// A cell as written: quoted only where a comma, quote or line break asks for it.
std::string csv_cell(std::string_view text);
/// Shortest text that reads back as the same double; independent of the locale. Nothing: an empty cell.
std::string csv_cell(std::optional<double> value);
/// Cells joined by commas, ended by a line feed.
std::string csv_line(const std::vector<std::string>& cells);

struct CsvRecord {
  int line{};  ///< where it begins, from 1
  std::vector<std::string> cells;
};

/// Records of a text: LF or CRLF, an optional byte order mark, quoted cells with commas, quotes and line breaks. Blank
/// lines are left out. Throws Error "line N: …" for a quote that is never closed or text after a closing quote.
std::vector<CsvRecord> parse_csv(std::string_view text);

}  // namespace gable
