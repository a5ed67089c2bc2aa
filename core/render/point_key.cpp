#include "core/render/point_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/render/palette.hpp"
#include "core/text/text_table.hpp"

namespace gable::render {

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

int most_columns(const PlotData& data, double font_pt) {
  return std::max(1, static_cast<int>((data.width_pt - 8) / text_extent("operator 99 %", font_pt)));
}

int most_rows(double room_pt, double font_pt) { return std::max(0, static_cast<int>(room_pt / line_height(font_pt))); }

}  // namespace

std::size_t PointKey::capacity(const PlotData& data, double font_pt, double room_pt) {
  return static_cast<std::size_t>(most_rows(room_pt, font_pt) * most_columns(data, font_pt));
}

PointKey::PointKey(const PlotData& data, double font_pt, double room_pt) : font_pt_(font_pt) {
  std::ranges::copy_if(data.points, std::back_inserter(points_), [](const PlotPoint& one) { return one.number > 0; });
  if (points_.empty()) return;
  const auto count = static_cast<int>(points_.size());
  double widest = 0;
  for (const PlotPoint& point : points_) widest = std::max(widest, text_extent(entry(point), 1));
  const int rows = most_rows(room_pt, font_pt);
  columns_ = std::clamp(static_cast<int>((data.width_pt - 8) / (widest * font_pt + 8)), 1, count);
  rows_ = (count + columns_ - 1) / columns_;
  if (rows_ <= rows) return;
  columns_ = std::min((count + rows - 1) / std::max(1, rows), most_columns(data, font_pt));
  rows_ = std::min(rows, (count + columns_ - 1) / columns_);
}

void PointKey::draw(PlotData& data) const {
  if (rows_ == 0) return;
  const double column = (data.width_pt - 8) / columns_;
  for (int i = 0; i < std::min(static_cast<int>(points_.size()), rows_ * columns_); ++i) {
    const PlotPoint& point = points_[static_cast<std::size_t>(i)];
    std::string text = entry(point);
    if (text_extent(text, font_pt_) > column - 6) text = fmt::format("{} {}", point.number, point.label);
    const Position at{4 + column * (i / rows_), (rows_ - 1 - i % rows_) * line_height(font_pt_) + 2};
    data.texts.push_back(level_text(fit_entry(text, column - 6), at, font_pt_, point.colour));
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
