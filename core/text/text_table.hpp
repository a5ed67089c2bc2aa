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
/// Words broken into lines of at most `width` columns, each behind `indent` blanks.
std::string wrap(std::string_view text, int width, int indent);

/// Aligned columns under a header and a rule.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right{};    ///< figures are right-aligned
    bool shrinks{};  ///< may be cut to fit the width
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  /// Columns in which every cell is empty are left out. Columns that may shrink give way first, then every one.
  std::string render(int width) const;

 private:
  std::vector<int> fit(int width) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gable
