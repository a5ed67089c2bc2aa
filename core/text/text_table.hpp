#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gable {

/// Columns of a terminal, counted in code points of UTF-8.
int text_width(std::string_view text);
/// At most `width` columns; what is cut ends in "…".
std::string shorten(std::string_view text, int width);
/// The text in lines of at most `width` columns, broken at blanks (but behind a number, which keeps its unit), in words
/// that do not fit behind one of "/_,", and within what is longer still. Nothing is left out but blanks at a break. One
/// empty line of an empty text.
std::vector<std::string> broken(std::string_view text, int width);
/// The same as one text, each line behind `indent` blanks and ended by a line feed; empty of an empty text.
std::string wrap(std::string_view text, int width, int indent);

/// Aligned columns under a header and a rule.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right{};  ///< figures are right-aligned
    bool wraps{};  ///< cells may be broken into several lines
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as there are columns, made printable().
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  /// Within `width` columns, and nothing is cut: titles and cells that may wrap are broken into lines, then figures
  /// into two. Where that is not enough every row has lines of its own: its name, the columns before the first figure,
  /// and below it "title cell; title cell …". Columns in which every cell is empty are left out.
  std::string render(int width) const;

 private:
  /// Widths of the columns, 0 of those left out; none where the table does not fit.
  std::vector<int> fit(int width) const;
  std::string columns_text(const std::vector<int>& widths) const;
  std::string blocks_text(int width) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gable
