#include "core/text/text_table.hpp"

#include <algorithm>
#include <numeric>

#include "core/text/safe_text.hpp"

namespace gable {
namespace {

constexpr int gap = 2;
/// Lines of a cell; more are read more easily in a block.
constexpr std::size_t most_lines = 5, most_lines_of_a_figure = 2;
constexpr int widest_terminal = 1000;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string padded(const std::string& text, int width, bool right) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, width - text_width(text))), ' ');
  return right ? blanks + text : text + blanks;
}

/// The bytes of the first `width` columns.
std::size_t bytes_of(std::string_view text, int width) {
  std::size_t end = 0;
  for (int taken = 0; end < text.size(); ++end) {
    if (!continues(text[end]) && ++taken > width) break;
  }
  return end;
}

/// The next blank that a line may end at: none that stands between a number and its unit.
std::size_t next_break(std::string_view text, std::size_t from) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = text.find(' ', from); at < text.size(); at = text.find(' ', at + 1)) {
    if (at == 0 || !digit(text[at - 1]) || at + 1 == text.size() || text[at + 1] == ' ' || digit(text[at + 1]))
      return at;
  }
  return text.size();
}

/// What a line may end behind: words with the blanks that follow them; within words, if asked for, parts up to one of
/// "/_,".
std::vector<std::string_view> parts_of(std::string_view text, bool within_words) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0, blank = 0, end = 0; at < text.size();) {
    if (at >= blank) blank = next_break(text, at);  // no part is looked through twice
    const std::size_t sign = within_words ? text.substr(0, blank).find_first_of("/_,", at) : std::string_view::npos;
    end = sign < blank ? text.find_first_not_of("/_, ", sign) : text.find_first_not_of(' ', blank);
    end = std::min(end, text.size());
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

std::string_view without_blanks(std::string_view text) {
  const auto last = text.find_last_not_of(' ');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// Of the longest part that is not broken unless there is no other way.
int longest_part(std::string_view text) {
  int longest = 0;
  for (const std::string_view part : parts_of(text, true))
    longest = std::max(longest, text_width(without_blanks(part)));
  return longest;
}

/// Lines of at most so many columns that fill up part by part.
class Lines {
 public:
  explicit Lines(int width) : width_(width) {}
  /// False of a part that is longer than a line.
  bool takes(std::string_view part) {
    const std::string_view word = without_blanks(part);
    if (text_width(word) > width_) return false;
    if (taken_ + text_width(word) > width_) end();
    add(part);
    return true;
  }
  /// Cuts it where the line is full.
  void force(std::string_view part) {
    while (!part.empty()) {
      if (taken_ >= width_) end();
      const std::size_t end_of_line = bytes_of(part, width_ - taken_);
      add(part.substr(0, end_of_line));
      part.remove_prefix(end_of_line);
    }
  }
  std::vector<std::string> all() {
    end();
    return std::move(lines_);
  }

 private:
  void add(std::string_view part) {
    line_ += part;
    taken_ += text_width(part);
  }
  void end() {
    const std::string_view text = without_blanks(line_);
    if (!text.empty()) lines_.emplace_back(text);
    line_.clear();
    taken_ = 0;
  }
  int width_, taken_{};  ///< columns
  std::string line_;
  std::vector<std::string> lines_;
};

/// In which the text takes at most so many lines, and no part of it is cut; more than `most` where that is too narrow.
int least_width(std::string_view text, std::size_t lines, int most) {
  const int whole = text_width(text);
  int width = std::max(longest_part(text), whole / static_cast<int>(lines));
  while (width < whole && width <= most && broken(text, width).size() > lines) ++width;
  return width;
}

}  // namespace

int text_width(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string shorten(std::string_view text, int width) {
  if (text_width(text) <= width) return std::string(text);
  if (width <= 0) return {};
  return std::string(text.substr(0, bytes_of(text, width - 1))) + "…";
}

std::vector<std::string> broken(std::string_view given, int width) {
  const std::string text = printable(given);
  Lines lines(std::max(1, width));
  for (const std::string_view word : parts_of(text, false)) {
    if (lines.takes(word)) continue;
    for (const std::string_view part : parts_of(word, true)) {
      if (!lines.takes(part)) lines.force(part);
    }
  }
  auto all = lines.all();
  if (all.empty()) all.emplace_back();
  return all;
}

std::string wrap(std::string_view text, int width, int indent) {
  if (text.empty()) return {};
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  std::string lines;
  for (const std::string& line : broken(text, width - indent)) lines += blanks + line + '\n';
  return lines;
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<int> TextTable::fit(int width) const {
  std::vector<int> widths, least, least_of_all;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto& [title, right, wraps] = columns_[i];
    int widest = 0, wrapped = longest_part(title), whole = wrapped;
    for (const auto& row : rows_) {
      widest = std::max(widest, text_width(row[i]));
      wrapped = std::max(
          wrapped, least_width(row[i], wraps ? most_lines : most_lines_of_a_figure, std::min(width, widest_terminal)));
      whole = std::max(whole, text_width(row[i]));
    }
    widths.push_back(widest == 0 ? 0 : std::max(widest, text_width(title)));
    least.push_back(wraps ? wrapped : whole);
    least_of_all.push_back(wrapped);
  }
  const auto used = std::ranges::count_if(widths, [](int w) { return w > 0; });
  const int gaps = gap * std::max(0, static_cast<int>(used) - 1);
  for (const std::vector<int>& limits : {least, least_of_all}) {
    while (std::accumulate(widths.begin(), widths.end(), gaps) > width) {
      std::size_t widest = widths.size();
      for (std::size_t i = 0; i < widths.size(); ++i) {
        if (widths[i] > limits[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
      }
      if (widest == widths.size()) break;
      --widths[widest];
    }
  }
  if (std::accumulate(widths.begin(), widths.end(), gaps) > width) widths.clear();
  return widths;
}

std::string TextTable::columns_text(const std::vector<int>& widths) const {
  std::string text;
  const auto add_row = [&](auto&& cell) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      cells.push_back(widths[i] == 0 ? std::vector<std::string>{} : broken(cell(i), widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string line;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (widths[i] == 0) continue;
        if (!line.empty()) line += std::string(gap, ' ');
        line += padded(k < cells[i].size() ? cells[i][k] : "", widths[i], columns_[i].right);
      }
      text += std::string(without_blanks(line)) + '\n';
    }
  };
  add_row([&](std::size_t i) { return columns_[i].title; });
  add_row([&](std::size_t i) { return std::string(static_cast<std::size_t>(widths[i]), '-'); });
  for (const auto& row : rows_) add_row([&](std::size_t i) { return row[i]; });
  return text;
}

std::string TextTable::blocks_text(int width) const {
  // what a row is called: the columns before the first figure
  const auto figure = std::ranges::find(columns_, true, &Column::right);
  const std::ptrdiff_t named = figure == columns_.end() ? 1 : std::max<std::ptrdiff_t>(1, figure - columns_.begin());
  std::string text;
  for (const auto& row : rows_) {
    std::string name, rest;
    for (std::ptrdiff_t i = 0; i < std::ssize(columns_); ++i) {
      const std::string& cell = row[static_cast<std::size_t>(i)];
      if (cell.empty()) continue;
      if (i < named)
        name += (name.empty() ? "" : "  ") + cell;
      else
        rest += (rest.empty() ? "" : "; ") + columns_[static_cast<std::size_t>(i)].title + ' ' + cell;
    }
    text += wrap(name, width, 0) + wrap(rest, width, 2);
  }
  return text;
}

std::string TextTable::render(int width) const {
  const std::vector<int> widths = fit(width);
  return widths.empty() ? blocks_text(width) : columns_text(widths);
}

}  // namespace gable
