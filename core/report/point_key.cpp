#include "core/report/point_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/report/palette.hpp"
#include "core/text/text_table.hpp"

namespace gable::report {

std::string fitted(const std::string& text, double font_pt, double width) {
  std::string cut = text;
  for (int columns = text_width(text); columns > 1 && text_extent(cut, font_pt) > width;)
    cut = shorten(text, --columns);
  return cut;
}

PlotText level_text(const std::string& text, Position at, double font_pt, unsigned colour) {
  const Box box{at.x, at.y, at.x + text_extent(text, font_pt), at.y + line_height(font_pt)};
  return {text, at, font_pt, 0, colour, false, {box}, false};
}

namespace {

std::string entry(const PlotPoint& point) { return fmt::format("{} {}", point.number, point.detail); }

}  // namespace

PointKey::PointKey(const PlotData& data, double font_pt) : font_pt_(font_pt) {
  if (data.points.empty() || data.points.front().number == 0) return;
  const auto count = static_cast<int>(data.points.size());
  double widest = 0;
  for (const PlotPoint& point : data.points) widest = std::max(widest, text_extent(entry(point), 1));
  const int most_rows = static_cast<int>(0.36 * data.height_pt / line_height(font_pt));
  columns_ = std::clamp(static_cast<int>((data.width_pt - 8) / (widest * font_pt + 8)), 1, count);
  rows_ = (count + columns_ - 1) / columns_;
  if (rows_ <= most_rows) return;
  columns_ = (count + most_rows - 1) / most_rows;
  const double least = text_extent("operator 99 %", font_pt);
  columns_ = std::min(columns_, std::max(1, static_cast<int>((data.width_pt - 8) / least)));
  rows_ = std::min(most_rows, (count + columns_ - 1) / columns_);
}

void PointKey::draw(PlotData& data) const {
  if (rows_ == 0) return;
  const double column = (data.width_pt - 8) / columns_;
  const int places = rows_ * columns_;
  const auto count = static_cast<int>(data.points.size());
  for (int i = 0; i < std::min(count, places); ++i) {
    const PlotPoint& point = data.points[static_cast<std::size_t>(i)];
    std::string text = entry(point);
    if (text_extent(text, font_pt_) > column - 6) text = fmt::format("{} {}", point.number, point.label);
    unsigned colour = point.colour;
    if (i == places - 1 && count > places) {
      text = fmt::format("… {} more: see the table", count - places + 1);
      colour = ink;
    }
    const Position at{4 + column * (i / rows_), (rows_ - 1 - i % rows_) * line_height(font_pt_) + 2};
    data.texts.push_back(level_text(fit_entry(text, column - 6), at, font_pt_, colour));
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

}  // namespace gable::report
