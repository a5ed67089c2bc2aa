#include "core/render/point_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

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

std::vector<std::string> lines_within(const std::string& text, double font_pt, double width) {
  std::vector<std::string> lines;
  for (int columns = text_width(text); lines.empty(); --columns) {
    lines = broken(text, columns);
    const auto is_wide = [&](const std::string& line) { return text_extent(line, font_pt) > width; };
    if (columns > 1 && std::ranges::any_of(lines, is_wide)) lines.clear();
  }
  return lines;
}

namespace {

double share_width(double font_pt) { return text_extent("A 100", font_pt) + 0.25 * font_pt; }

/// Width of the shares of the devices that have numbered points, or may have.
double shares_width(const PlotData& data, double font_pt) {
  if (!data.several_devices) return 0;
  std::set<std::string> devices;
  for (const PlotPoint& point : data.points) devices.insert(point.device);
  return static_cast<double>(devices.size()) * share_width(font_pt);
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

PointKey::PointKey(const PlotData& data, double font_pt, double room_pt)
    : font_pt_(font_pt), shares_pt_(shares_width(data, font_pt)) {
  std::map<std::string, double> places;  // of a device's shares
  std::map<int, Entry> entries;
  for (const PlotPoint& point : data.points) {
    const double x = places.try_emplace(point.device, static_cast<double>(places.size())).first->second;
    if (point.number == 0) continue;
    const auto with_number = [&](const std::string& text) { return fmt::format("{} {}", point.number, text); };
    if (!data.several_devices) {
      entries[point.number] = {with_number(point.detail), with_number(point.label), point.colour, {}};
      continue;
    }
    Entry& entry = entries[point.number];
    entry.name = entry.brief = with_number(point.name);
    entry.colour = ink;
    const std::string share = point.share ? percent(*point.share) : "";
    const std::string text = point.letter + share.substr(0, share.find(' '));
    entry.shares.push_back(level_text(text, {x * share_width(font_pt), 0}, font_pt, point.colour));
  }
  for (auto& [number, entry] : entries) entries_.push_back(std::move(entry));
  if (entries_.empty()) return;
  const auto count = static_cast<int>(entries_.size());
  double widest = 0;
  for (const Entry& entry : entries_) widest = std::max(widest, text_extent(entry.name, font_pt));
  const int rows = most_rows(room_pt, font_pt);
  columns_ = std::clamp(static_cast<int>((data.width_pt - 8) / (widest + shares_pt_ + 8)), 1, count);
  rows_ = (count + columns_ - 1) / columns_;
  if (rows_ <= rows) return;
  columns_ = std::min((count + rows - 1) / std::max(1, rows), most_columns(data, font_pt));
  rows_ = std::min(rows, (count + columns_ - 1) / columns_);
}

void PointKey::draw(PlotData& data) const {
  if (rows_ == 0) return;
  const double column = (data.width_pt - 8) / columns_, room = column - (data.several_devices ? 3 : 6) - shares_pt_;
  const double foot = data.several_devices ? 1 : 2;
  const auto place = [&](PlotText text, double x, double y) {
    data.texts.push_back(level_text(text.text, {text.at.x + x, y}, font_pt_, text.colour));
  };
  if (data.several_devices) {
    const std::string type = data.one_type ? fmt::format("{}; ", to_string(data.points.front().dtype)) : "";
    place(level_text(type + "letter and %: device and share of its own limit", {}, font_pt_, pale_ink), 4,
          rows_ * line_height(font_pt_) + foot);
  }
  double widest = 0;
  for (const Entry& entry : entries_) widest = std::max(widest, text_extent(entry.name, font_pt_));
  for (int i = 0; i < std::min(static_cast<int>(entries_.size()), rows_ * columns_); ++i) {
    const Entry& entry = entries_[static_cast<std::size_t>(i)];
    const std::string& text = text_extent(entry.name, font_pt_) > room ? entry.brief : entry.name;
    const double x = 4 + column * (i / rows_), y = (rows_ - 1 - i % rows_) * line_height(font_pt_) + foot;
    place(level_text(fit_entry(text, room), {}, font_pt_, entry.colour), x, y);
    for (const PlotText& share : entry.shares) place(share, x + std::min(room, widest + 4), y);
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
