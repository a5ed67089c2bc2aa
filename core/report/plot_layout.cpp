#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "core/model/units.hpp"
#include "core/report/palette.hpp"
#include "core/report/plot_data.hpp"
#include "core/report/text_table.hpp"

namespace gable::report {
namespace {

constexpr double small_text = 0.82;  ///< of the base size
constexpr std::size_t labels_in_place = 14;

double marker_radius(const PlotData& data) { return 0.38 * data.font_pt; }

/// At most `width` pt; what is cut ends in "…".
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

/// Three significant digits and the prefix: "1.2 T".
std::string prefixed(double rate) {
  const std::string text = format_quantity(rate, "flop/s");
  return text.substr(0, text.find("FLOP/s"));
}

/// The flat roofs that share a label in the right margin.
struct Group {
  std::string name;
  std::map<OperatingPoint, double> rates;
  double top{};
  unsigned colour{};

  std::string first_line() const { return name + " " + prefixed(top); }
  std::string second_line() const {
    std::string text;
    for (const auto& [at, rate] : rates) {
      if (rate == top) continue;
      const char* name_of = at == OperatingPoint::burst       ? "burst"
                            : at == OperatingPoint::sustained ? "sust."
                            : at == OperatingPoint::library   ? "lib."
                                                              : "sheet";
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of, prefixed(rate));
    }
    return text;
  }
};

std::vector<Group> flat_groups(const PlotData& data) {
  std::vector<Group> groups;
  for (const PlotRoof& roof : data.roofs) {
    if (!roof.flat) continue;
    auto group = std::ranges::find(groups, roof.group, &Group::name);
    if (group == groups.end()) group = groups.insert(group, {roof.group, {}, 0, roof.colour});
    group->rates[roof.at] = roof.rate;
    group->top = std::max(group->top, roof.rate);
  }
  return groups;
}

class Layout {
 public:
  explicit Layout(PlotData& data) : data_(data), groups_(flat_groups(data)) {
    data_.font_pt = std::clamp(5 + 0.5 * data.width_pt / 72, 6.5, 11.0);
    small_ = small_text * data_.font_pt;
  }

  void run() {
    number_points(data_.points.size() > labels_in_place);
    arrange();
    if (unplaced_ == 0 || data_.points.empty() || data_.points.front().number > 0) return;
    number_points(true);
    arrange();
  }

 private:
  void arrange() {
    data_.texts.clear();
    data_.leaders.clear();
    data_.markers.clear();
    unplaced_ = 0;
    second_lines_ = data_.width_pt >= 6 * 72;
    set_area();
    titles();
    axis_titles();
    legend();
    key();
    margin_labels();
    inside_labels();
  }

  void number_points(bool on) {
    int next = 0;
    for (PlotPoint& point : data_.points) point.number = on ? ++next : 0;
  }

  double title_height() const {
    return static_cast<double>(data_.titles.size()) * line_height(title_font()) + 1.5 * line_height(small_) + 3;
  }

  /// Margins first: what stands in them decides the area of the axes.
  void set_area() {
    const double font = data_.font_pt;
    double right = 0;
    for (const Group& group : groups_) {
      right = std::max(right, text_extent(group.first_line(), small_));
      if (second_lines_) right = std::max(right, text_extent(group.second_line(), small_));
    }
    right = right > 0 ? std::min(right + 14, 0.34 * data_.width_pt) : font;
    data_.area = {4.6 * font, 0, data_.width_pt - right, data_.height_pt - title_height()};
    legend_rows_ = flow_legend(false);
    arrange_key();
    const double below = 3.5 * font + legend_rows_ * 1.5 * small_ + key_rows_ * line_height(key_font_);
    data_.area.bottom = std::min(below, data_.area.top - 0.35 * data_.height_pt);
  }

  double title_font() const { return 1.05 * data_.font_pt; }

  void titles() {
    const double room = data_.width_pt - data_.area.left - 4;
    double y = data_.height_pt - 3;
    for (const std::string& text : data_.titles) {
      y -= line_height(title_font());
      unsigned colour = ink;
      // "A Name" names the device whose roofs begin with the same letter
      for (const PlotRoof& roof : data_.roofs) {
        if (data_.several_devices && text.starts_with(roof.label.substr(0, 2))) colour = roof.colour;
      }
      PlotText title = level_text(fitted(text, title_font(), room), {data_.area.left, y}, title_font(), colour);
      title.bold = true;
      data_.texts.push_back(title);
    }
    y -= line_height(small_);
    data_.texts.push_back(level_text(fitted(data_.subtitle, small_, room), {data_.area.left, y}, small_, pale_ink));
  }

  void axis_titles() {
    const double font = data_.font_pt;
    const Box& area = data_.area;
    const double x = (area.left + area.right - text_extent(data_.x_title, font)) / 2;
    data_.texts.push_back(level_text(data_.x_title, {std::max(4.0, x), area.bottom - 3.1 * font}, font, ink));
    const double length = text_extent(data_.y_title, font);
    PlotText up = level_text(data_.y_title, {line_height(font) + 1, (area.bottom + area.top - length) / 2}, font, ink);
    up.angle = std::numbers::pi / 2;
    up.boxes = turned_text(up.at, length, line_height(font), up.angle);
    data_.texts.push_back(up);
  }

  /// Samples of the line styles and markers that occur, in rows under the axis. Returns the number of rows.
  int flow_legend(bool draw) {
    double x = data_.area.left;
    double y = key_rows_ * line_height(key_font_) + (legend_rows_ - 1) * 1.5 * small_ + 0.3 * small_;
    int rows = 1;
    const double sample = 2.2 * small_;
    const auto item = [&](const std::string& text, auto&& drawing) {
      const double width = sample + 3 + text_extent(text, small_) + 0.8 * small_;
      if (x > data_.area.left && x + width > data_.width_pt) {
        x = data_.area.left;
        y -= 1.5 * small_;
        ++rows;
      }
      if (draw) {
        drawing(Position{x, y + 0.5 * line_height(small_)});
        data_.texts.push_back(level_text(text, {x + sample + 3, y}, small_, ink));
      }
      x += width;
    };
    const auto line_item = [&](const std::string& text, Line line, double width) {
      item(text, [&](Position at) { data_.leaders.push_back({{at, {at.x + sample, at.y}}, line, width, ink}); });
    };
    const auto has = [&](OperatingPoint at) {
      return std::ranges::any_of(data_.roofs, [&](const PlotRoof& roof) { return roof.flat && roof.at == at; });
    };
    if (has(OperatingPoint::burst)) line_item("burst", Line::solid, 1.2);
    if (has(OperatingPoint::sustained)) line_item("sustained", Line::dashed, 1.2);
    if (has(OperatingPoint::library)) line_item("library", Line::dotted, 1.2);
    if (has(OperatingPoint::none)) line_item("datasheet", Line::dash_dot, 1.2);
    const auto marker_item = [&](const std::string& text, std::optional<DType> dtype, unsigned colour) {
      item(text, [&](Position at) { data_.markers.push_back({{at.x + 0.5 * sample, at.y}, dtype, colour}); });
    };
    if (!data_.ridges.empty()) marker_item("ridge", {}, ink);
    for (const DType dtype : all_dtypes) {
      const auto point = std::ranges::find(data_.points, dtype, &PlotPoint::dtype);
      if (point == data_.points.end()) continue;
      marker_item(std::string(to_string(dtype)), dtype, data_.several_devices ? ink : point->colour);
    }
    return rows;
  }
  void legend() { flow_legend(true); }

  /// As many columns as the widest entry allows; entries are cut before the table takes more than its share.
  void arrange_key() {
    key_rows_ = 0;
    key_font_ = small_;
    if (data_.points.empty() || data_.points.front().number == 0) return;
    const auto count = static_cast<int>(data_.points.size());
    double widest = 0;
    for (const PlotPoint& point : data_.points) widest = std::max(widest, text_extent(entry(point), 1));
    const int most_rows = static_cast<int>(0.36 * data_.height_pt / line_height(small_));
    key_columns_ = std::clamp(static_cast<int>((data_.width_pt - 8) / (widest * small_ + 8)), 1, count);
    key_rows_ = (count + key_columns_ - 1) / key_columns_;
    if (key_rows_ > most_rows) {
      key_columns_ = (count + most_rows - 1) / most_rows;
      const double least = text_extent("operator 99 %", small_);
      key_columns_ = std::min(key_columns_, std::max(1, static_cast<int>((data_.width_pt - 8) / least)));
      key_rows_ = std::min(most_rows, (count + key_columns_ - 1) / key_columns_);
    }
    // a blank line keeps the key apart from the legend
    ++key_rows_;
  }

  static std::string entry(const PlotPoint& point) { return fmt::format("{} {}", point.number, point.detail); }

  void key() {
    if (key_rows_ == 0) return;
    const int rows = key_rows_ - 1;
    const double column = (data_.width_pt - 8) / key_columns_;
    const int places = rows * key_columns_;
    const auto count = static_cast<int>(data_.points.size());
    for (int i = 0; i < std::min(count, places); ++i) {
      const PlotPoint& point = data_.points[static_cast<std::size_t>(i)];
      std::string text = entry(point);
      if (text_extent(text, key_font_) > column - 6) text = fmt::format("{} {}", point.number, point.label);
      unsigned colour = point.colour;
      if (i == places - 1 && count > places) {
        text = fmt::format("… {} more: see the table", count - places + 1);
        colour = ink;
      }
      const Position at{4 + column * (i / rows), (rows - 1 - i % rows) * line_height(key_font_) + 2};
      data_.texts.push_back(level_text(fit_entry(text, column - 6), at, key_font_, colour));
    }
  }

  /// Cuts the middle rather than the figure at the end.
  std::string fit_entry(const std::string& text, double width) const {
    if (text_extent(text, key_font_) <= width) return text;
    const auto percent = text.rfind(' ', text.size() > 2 ? text.size() - 3 : 0);
    if (!text.ends_with(" %") || percent == std::string::npos) return fitted(text, key_font_, width);
    const std::string tail = text.substr(percent);
    return fitted(text.substr(0, percent), key_font_, width - text_extent(tail, key_font_)) + tail;
  }

  /// Labels of flat roofs beside the axes, moved apart, each tied to its line.
  void margin_labels() {
    std::vector<double> heights, centres;
    for (int attempt = 0; attempt < 2; ++attempt) {
      heights.clear();
      double sum = 0;
      for (const Group& group : groups_) {
        const int lines = second_lines_ && !group.second_line().empty() ? 2 : 1;
        heights.push_back(lines * line_height(small_));
        sum += heights.back();
      }
      if (sum <= data_.area.height()) break;
      second_lines_ = false;
    }
    for (const Group& group : groups_) centres.push_back(data_.position(data_.x.high, group.top).y);
    spread(centres, heights, 0, data_.height_pt - title_height());
    const double left = data_.area.right + 11;
    const double room = data_.width_pt - left;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Group& group = groups_[i];
      const double line_y = data_.position(data_.x.high, group.top).y;
      data_.leaders.push_back({{{data_.area.right, line_y}, {left - 2, centres[i]}}, Line::solid, 0.5, group.colour});
      double y = centres[i] + heights[i] / 2 - line_height(small_);
      data_.texts.push_back(level_text(fitted(group.first_line(), small_, room), {left, y}, small_, group.colour));
      if (heights[i] < 1.5 * line_height(small_)) continue;
      y -= line_height(small_);
      data_.texts.push_back(level_text(fitted(group.second_line(), small_, room), {left, y}, small_, pale_ink));
    }
  }

  void inside_labels() {
    Placement placement(data_.area);
    const double radius = marker_radius(data_);
    const auto keep_clear = [&](double intensity, double rate) {
      const Position at = data_.position(intensity, rate);
      placement.take({at.x - radius, at.y - radius, at.x + radius, at.y + radius});
    };
    for (const PlotPoint& point : data_.points) keep_clear(point.intensity, point.flop_per_s);
    for (const PlotRidge& ridge : data_.ridges) keep_clear(ridge.intensity, ridge.flop_per_s);
    for (const PlotRoof& roof : data_.roofs) placement.avoid(path(roof));
    for (const PlotPoint& point : data_.points) {
      if (point.limit)
        placement.avoid(
            {data_.position(point.intensity, point.flop_per_s), data_.position(point.intensity, *point.limit)});
    }
    slope_labels(placement);
    point_labels(placement);
    region_names(placement);
  }

  Segment path(const PlotRoof& roof) const {
    return {data_.position(roof.from, roof.at_intensity(roof.from)),
            data_.position(roof.to, roof.at_intensity(roof.to))};
  }

  /// The fullest text that stays clear of every line, else the fullest that covers a few.
  void slope_labels(Placement& placement) {
    for (const PlotRoof& roof : data_.roofs) {
      if (roof.flat) continue;
      const std::string rate = format_quantity(roof.rate, "byte/s");
      const std::string level = roof.label.substr(0, roof.label.find(' ', 2));
      const bool non_temporal = roof.label.ends_with("non-temporal");
      std::vector<std::string> texts{roof.label + " " + rate, level + (non_temporal ? " NT " : " ") + rate};
      if (data_.width_pt < 5 * 72) texts.erase(texts.begin());
      // over no line; across a few; anywhere
      for (const double may_cover : {0.0, 3 * line_height(small_), std::numeric_limits<double>::infinity()}) {
        const auto placed = [&](const std::string& text) { return slope_label(placement, roof, text, may_cover); };
        if (std::ranges::any_of(texts, placed)) break;
        if (std::isinf(may_cover)) slope_label(placement, roof, level + (non_temporal ? " NT" : ""), may_cover);
      }
    }
  }

  bool slope_label(Placement& placement, const PlotRoof& roof, const std::string& text, double may_cover) {
    const Segment line = path(roof);
    const double width = text_extent(text, small_), height = 0.9 * line_height(small_);
    PlotText label;
    if (!placement.place_along(line, width, height, may_cover, label.at)) return false;
    label.text = text;
    label.font_pt = small_;
    label.angle = std::atan2(line.to.y - line.from.y, line.to.x - line.from.x);
    label.colour = roof.colour;
    label.boxes = turned_text(label.at, width, height, label.angle);
    data_.texts.push_back(label);
    return true;
  }

  void point_labels(Placement& placement) {
    const double radius = marker_radius(data_);
    for (const PlotPoint& point : data_.points) {
      const std::string text = point.number > 0 ? std::to_string(point.number) : point.label;
      const Position anchor = data_.position(point.intensity, point.flop_per_s);
      const double reach = point.number > 0 ? data_.area.width() : 7 * line_height(small_);
      Box box;
      if (!placement.place(anchor, radius, text_extent(text, small_), line_height(small_) * 0.95, reach, box)) {
        ++unplaced_;
        continue;
      }
      data_.texts.push_back({text, {box.left, box.bottom}, small_, 0, point.colour, false, {box}, true});
      const Position near{std::clamp(anchor.x, box.left, box.right), std::clamp(anchor.y, box.bottom, box.top)};
      const double gap = std::hypot(near.x - anchor.x, near.y - anchor.y);
      if (gap > radius + 0.6 * small_) data_.leaders.push_back({{anchor, near}, Line::solid, 0.4, point.colour});
    }
  }

  /// "memory-bound" and "compute-bound" at the foot of the axes, where there is room.
  void region_names(Placement& placement) {
    const auto add = [&](const std::string& text, double left, double right) {
      const double width = text_extent(text, small_);
      if (right - left < width + 6) return;
      const double x = (left + right - width) / 2;
      for (double y = data_.area.bottom + 2; y < data_.area.bottom + 3 * line_height(small_);
           y += line_height(small_)) {
        const Box box{x, y, x + width, y + line_height(small_)};
        if (!placement.is_free(box)) continue;
        placement.take(box);
        data_.texts.push_back({text, {x, y}, small_, 0, 0x999999, false, {box}, false});
        return;
      }
    };
    if (data_.memory_bound_until)
      add("memory-bound", data_.area.left, data_.position(*data_.memory_bound_until, data_.y.low).x);
    if (data_.compute_bound_from)
      add("compute-bound", data_.position(*data_.compute_bound_from, data_.y.low).x, data_.area.right);
  }

  PlotData& data_;
  std::vector<Group> groups_;
  double small_{};
  bool second_lines_{};
  int legend_rows_{1};
  int key_rows_{}, key_columns_{1};
  double key_font_{};
  std::size_t unplaced_{};
};

}  // namespace

void lay_out(PlotData& data) { Layout(data).run(); }

}  // namespace gable::report
