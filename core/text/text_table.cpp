#include "core/text/text_table.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace gable {
namespace {

constexpr int gap = 2;
constexpr int least_column = 4;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string padded(const std::string& text, int width, bool right) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, width - text_width(text))), ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace

int text_width(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string shorten(std::string_view text, int width) {
  if (text_width(text) <= width) return std::string(text);
  if (width <= 0) return {};
  std::size_t end = 0;
  for (int taken = 0; end < text.size(); ++end) {
    if (!continues(text[end]) && ++taken == width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string wrap(std::string_view text, int width, int indent) {
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  const int room = std::max(1, width - indent);
  std::istringstream words{std::string(text)};
  std::string lines, line;
  for (std::string word; words >> word;) {
    word = shorten(word, room);
    if (!line.empty() && text_width(line) + 1 + text_width(word) > room) {
      lines += blanks + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines += blanks + line + '\n';
  return lines;
}

std::vector<int> TextTable::fit(int width) const {
  std::vector<int> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    int widest = 0;
    for (const auto& row : rows_) widest = std::max(widest, text_width(row[i]));
    widths.push_back(widest == 0 ? 0 : std::max(widest, text_width(columns_[i].title)));
  }
  const auto total = [&] {
    const auto used = std::ranges::count_if(widths, [](int w) { return w > 0; });
    return std::accumulate(widths.begin(), widths.end(), 0) + gap * std::max(0, static_cast<int>(used) - 1);
  };
  for (const bool every : {false, true}) {
    while (total() > width) {
      int* widest = nullptr;
      for (std::size_t i = 0; i < widths.size(); ++i) {
        if (!(every || columns_[i].shrinks) || widths[i] <= least_column) continue;
        if (!widest || widths[i] > *widest) widest = &widths[i];
      }
      if (!widest) break;
      --*widest;
    }
  }
  return widths;
}

std::string TextTable::render(int width) const {
  const std::vector<int> widths = fit(width);
  std::string text;
  const auto add_line = [&](auto&& cell) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!line.empty()) line += std::string(gap, ' ');
      line += padded(shorten(cell(i), widths[i]), widths[i], columns_[i].right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += shorten(line, width) + '\n';
  };
  add_line([&](std::size_t i) { return columns_[i].title; });
  add_line([&](std::size_t i) { return std::string(static_cast<std::size_t>(widths[i]), '-'); });
  for (const auto& row : rows_) add_line([&](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace gable
