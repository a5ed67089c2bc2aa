#include "core/render/point_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/render/palette.hpp"
#include "core/sequence.hpp"
#include "core/text/text_table.hpp"

namespace gable::render {

namespace {

constexpr std::size_t most_lines = 4;  ///< of a title

/// More letters of a text than fit into a width, or all: what remains to be tried is short, however long the text.
int letters_to_try(const std::string& text, double font_pt, double width) {
  return std::clamp(static_cast<int>(std::min(1e6, width / text_extent("i", font_pt))) + 2, 1,
                    std::max(1, text_width(text)));
}

}  // namespace

std::string fitted(const std::string& text, double font_pt, double width) {
  int columns = letters_to_try(text, font_pt, width);
  std::string cut = shorten(text, columns);
  while (columns > 1 && text_extent(cut, font_pt) > width) cut = shorten(text, --columns);
  return cut;
}

PlotText level_text(const std::string& text, Position at, double font_pt, unsigned colour) {
  const Box box{at.x, at.y, at.x + text_extent(text, font_pt), at.y + line_height(font_pt)};
  return {text, at, font_pt, 0, colour, false, {box}, false};
}

std::vector<std::string> lines_within(const std::string& text, double font_pt, double width) {
  std::vector<std::string> lines;
  for (int columns = letters_to_try(text, font_pt, width); lines.empty(); --columns) {
    lines = broken(text, columns);
    const auto is_wide = [&](const std::string& line) { return text_extent(line, font_pt) > width; };
    if (columns > 1 && std::ranges::any_of(lines, is_wide)) lines.clear();
  }
  if (lines.size() > most_lines) {
    lines.resize(most_lines);
    lines.back() = fitted(lines.back() + "…", font_pt, width);
  }
  return lines;
}

namespace {

std::string entry(const PlotData& data, const PlotPoint& point) {
  return fmt::format("{} {}", point.number, data.several_devices ? point.name : point.detail);
}

std::set<std::string> letters_of(const std::vector<PlotPoint>& points) {
  std::set<std::string> letters;
  for (const PlotPoint& point : points) letters.insert(point.letter);
  return letters;
}

double share_width(double font_pt) { return text_extent("A 100", font_pt) + 0.25 * font_pt; }

/// Of several devices an entry ends in the shares of all that have points.
double shares_width(const PlotData& data, double font_pt) {
  return data.several_devices ? static_cast<double>(letters_of(data.points).size()) * share_width(font_pt) : 0;
}

/// Of one device with names that may be cut, of several with whole ones, up to half of the width.
int most_columns(const PlotData& data, double font_pt) {
  double least = text_extent("operator 99 %", font_pt);
  if (data.several_devices) {
    for (const PlotPoint& point : data.points) least = std::max(least, text_extent("99 " + point.name, font_pt));
    least = std::min(least + shares_width(data, font_pt) + 3, (data.width_pt - 8) / 2);
  }
  return std::max(1, static_cast<int>((data.width_pt - 8) / least));
}

int most_rows(double room_pt, double font_pt) { return std::max(0, static_cast<int>(room_pt / line_height(font_pt))); }

}  // namespace

std::size_t PointKey::capacity(const PlotData& data, double font_pt, double room_pt) {
  return static_cast<std::size_t>(most_rows(room_pt, font_pt) * most_columns(data, font_pt));
}

PointKey::PointKey(const PlotData& data, double font_pt, double room_pt) : font_pt_(font_pt) {
  points_ = filtered(data.points, [](const PlotPoint& one) { return one.number > 0; });
  if (points_.empty()) return;
  int count = 0;
  for (const PlotPoint& point : points_) {
    count = std::max(count, point.number);
    widest_ = std::max(widest_, text_extent(entry(data, point), font_pt));
  }
  const int rows = most_rows(room_pt, font_pt);
  columns_ = std::clamp(static_cast<int>((data.width_pt - 8) / (widest_ + shares_width(data, font_pt) + 8)), 1, count);
  rows_ = (count + columns_ - 1) / columns_;
  if (rows_ <= rows) return;
  columns_ = std::min((count + rows - 1) / std::max(1, rows), most_columns(data, font_pt));
  rows_ = std::min(rows, (count + columns_ - 1) / columns_);
}

void PointKey::draw(PlotData& data) const {
  if (rows_ == 0) return;
  const bool several = data.several_devices;
  const double column = (data.width_pt - 8) / columns_, foot = several ? 1 : 2;
  const double room = column - (several ? 3 : 6) - shares_width(data, font_pt_);
  const auto place = [&](const std::string& text, double x, int row, unsigned colour) {
    data.texts.push_back(level_text(text, {x, row * line_height(font_pt_) + foot}, font_pt_, colour));
  };
  const std::string type = data.one_type ? fmt::format("{}; ", to_string(data.points.front().dtype)) : "";
  if (several) place(type + "letter and %: device and share of its own limit", 4, rows_, pale_ink);
  const auto letters = letters_of(data.points);
  std::set<int> named;
  for (const PlotPoint& point : points_) {
    const int i = point.number - 1, row = rows_ - 1 - i % rows_;
    if (i >= rows_ * columns_) continue;
    const double x = 4 + column * (i / rows_);
    std::string text = entry(data, point);
    if (!several && text_extent(text, font_pt_) > room) text = fmt::format("{} {}", point.number, point.label);
    if (named.insert(i).second) place(fit_entry(text, room), x, row, several ? ink : point.colour);
    if (!several) continue;
    const std::string share = point.share ? percent(*point.share) : "";
    const auto before = static_cast<double>(std::distance(letters.begin(), letters.find(point.letter)));
    place(point.letter + share.substr(0, share.find(' ')),
          x + std::min(room, widest_ + 4) + before * share_width(font_pt_), row, point.colour);
  }
}

/// Cuts the middle rather than the figure at the end.
std::string PointKey::fit_entry(const std::string& text, double width) const {
  if (text_extent(text, font_pt_) <= width) return text;
  const auto percent = text.rfind(' ', text.size() > 2 ? text.size() - 3 : 0);
  if (!text.ends_with(" %") || percent == std::string::npos) return fitted(text, font_pt_, width);
  const std::string tail = text.substr(percent);
  return fitted(text.substr(0, percent), font_pt_, width - text_extent(tail, font_pt_)) + tail;
}

}  // namespace gable::render
