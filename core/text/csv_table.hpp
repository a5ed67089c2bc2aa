#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/safe_text.hpp"

/// CSV as RFC 4180 has it, without knowing what the cells mean.
namespace gable {

/// for_csv() of a text.
inline std::string csv_cell(std::string_view text) { return for_csv(text); }
/// Shortest text that reads back as the same double; independent of the locale. Nothing: an empty cell.
std::string csv_cell(std::optional<double> value);
/// Cells joined by commas, ended by a line feed.
std::string csv_line(const std::vector<std::string>& cells);

struct CsvRecord {
  int line{};  ///< where it begins, from 1
  std::vector<std::string> cells;
};

/// Records of a text, one after the other: LF or CRLF, an optional byte order mark, quoted cells with commas, quotes
/// and line breaks. Cells are apart by commas, or by semicolons, as spreadsheets of languages with a decimal comma
/// write them, where the first line has one of these and no comma. Blank lines are left out.
class CsvReader {
 public:
  /// The text stays where it is while it is read.
  explicit CsvReader(std::string_view text);
  /// Cells are apart by this.
  CsvReader(std::string_view text, char separator);
  /// Puts the next record in the place of another, whose memory it uses: files of profilers have 10^6. False at the
  /// end. Throws Error "line N: …" for a quote that is never closed or text after a closing quote.
  bool next(CsvRecord& record);

 private:
  bool done() const { return at_ >= text_.size(); }
  bool take(char expected);
  bool at_end_of_cell() const;
  void read_cell(std::string& cell);
  void read_quoted(std::string& cell);

  std::string_view text_;
  char separator_;
  std::size_t at_{};
  int line_{1};
};

/// All records of a text.
std::vector<CsvRecord> parse_csv(std::string_view text);
/// A text without the blanks around it.
std::string_view trimmed(std::string_view text);

/// One data line of a table, its cells by the names of their columns, without the blanks around them. What is asked for
/// and not there, or wrong, throws Error "line N, column C: …".
class CsvLine {
 public:
  using Columns = std::map<std::string, std::size_t>;
  /// Throws Error unless there are as many cells as columns.
  CsvLine(const Columns& columns, const CsvRecord& record);

  bool has(const std::string& column) const { return columns_.contains(column); }
  /// Not empty.
  std::string text(const std::string& column) const;
  /// Empty where there is no such column or nothing in it.
  std::string text_or_nothing(const std::string& column) const;
  /// Positive and finite.
  double number(const std::string& column) const;
  /// Finite, from 0 on.
  double number_from_zero(const std::string& column) const;
  /// What `parse` makes of a name, as an optional; `what` it has to be, for the message.
  template <class Parse>
  auto named(const std::string& column, Parse&& parse, std::string_view what) const {
    const std::string name = text(column);
    const auto value = parse(name);
    if (!value) fail(column, "'" + name + "' is not " + std::string(what));
    return *value;
  }
  /// Of the file, from 1.
  int line() const { return record_.line; }
  [[noreturn]] void fail(std::string_view column, std::string_view what) const;

 private:
  double figure(const std::string& column) const;  // finite

  const Columns& columns_;
  const CsvRecord& record_;
};

/// Reads a CSV file, in UTF-8 or Latin-1, whose first line names its columns, in any order: all of `required`, some of
/// `optional`, no others. Gives each data line to `take`. Throws Error "FILE: line N: …" for what is wrong, also with
/// what `take` throws, and for a file without data lines. With `refuse` a wrong line, or one for which `take` throws,
/// ends nothing: `refuse` is told "line N: …", and the next one is read.
void read_csv_table(const std::filesystem::path& path, std::span<const std::string_view> required,
                    std::span<const std::string_view> optional, const std::function<void(const CsvLine&)>& take,
                    const std::function<void(const std::string&)>& refuse = {});

}  // namespace gable
