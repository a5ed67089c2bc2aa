#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "core/render/label_placement.hpp"
#include "core/render/palette.hpp"
#include "core/render/plot_data.hpp"
#include "core/render/point_key.hpp"

namespace gable::render {
namespace {

constexpr double small_text = 0.82;  ///< of the base size
/// Up to so many points all have labels, in their places and then as numbers; of more only some, which stay readable.
constexpr std::size_t labels_in_place = 14, most_labels = 60, labels_of_many = 40;
constexpr double least_height = 0.4, most_key = 0.36;  ///< of the axes and of the key, as parts of the picture

class Layout {
 public:
  explicit Layout(PlotData& data) : data_(data), all_groups_(roof_groups(data)), groups_(all_groups_) {
    data_.font_pt = std::clamp(5 + 0.5 * data.width_pt / 72, 6.5, 11.0);
    small_ = small_text * data_.font_pt;
  }

  void run() {
    second_lines_ = data_.width_pt >= 6 * 72;
    set_margins();
    number_points(data_.points.size() > labels_in_place);
    arrange();
    if (unplaced_ == 0 || data_.points.empty() || numbered()) return;
    number_points(true);
    arrange();
  }

 private:
  bool numbered() const {
    return std::ranges::any_of(data_.points, [](const PlotPoint& point) { return point.number > 0; });
  }

  void arrange() {
    data_.texts.clear();
    data_.leaders.clear();
    data_.markers.clear();
    second_lines_ = data_.width_pt >= 6 * 72;
    set_margins();
    key_ = PointKey(data_, small_, key_room());
    fit_groups();
    set_margins();
    data_.area.bottom = below() + key_.height();
    axis_titles();
    legend();
    key_.draw(data_);
    margin_labels();
    unplaced_ = add_inside_labels(data_, small_);
    titles();
  }

  /// Numbers as many points as the key can tell, or none: then all are labelled in place.
  void number_points(bool on) {
    const std::size_t all = data_.points.size(), wanted = all <= most_labels ? all : labels_of_many;
    choose_labelled(data_.points, on ? std::min(wanted, PointKey::capacity(data_, small_, key_room())) : all);
    int next = 0;
    for (PlotPoint& point : data_.points) point.number = on && point.labelled ? ++next : 0;
  }

  /// Where the right margin begins to be free: what stands below the axes is as wide as the picture.
  double margin_bottom() const { return key_.height() + (legend_rows_ * 1.5 + 0.1) * small_; }

  /// As many groups as the right margin has room for above the legend and the key.
  void fit_groups() {
    groups_ = all_groups_;
    const double room = data_.height_pt - title_height() - margin_bottom();
    const auto most = static_cast<std::size_t>(std::max(1.0, room / line_height(small_)));
    if (groups_.size() > most) groups_ = merged(groups_);
    drop_groups(most);
  }

  /// Leaves labels to the highest roofs of each device, as many as there is room for.
  void drop_groups(std::size_t most) {
    while (groups_.size() > most) {
      std::map<std::string, std::size_t> of_device;
      for (const RoofGroup& group : groups_) ++of_device[group.name.device];
      const auto crowded = std::ranges::max_element(of_device, {}, [](const auto& one) { return one.second; })->first;
      auto lowest = groups_.end();
      for (auto group = groups_.begin(); group != groups_.end(); ++group) {
        if (group->name.device == crowded && (lowest == groups_.end() || group->top < lowest->top)) lowest = group;
      }
      groups_.erase(lowest);
    }
  }

  double title_height() const {
    return static_cast<double>(data_.titles.size()) * line_height(title_font()) + 1.5 * line_height(small_) + 3;
  }

  /// What stands in the margins decides the area of the axes.
  void set_margins() {
    const double font = data_.font_pt;
    double right = 0;
    for (const RoofGroup& group : groups_) {
      right = std::max(right, text_extent(group.first_line(), small_));
      if (second_lines_) right = std::max(right, text_extent(group.second_line(), small_));
    }
    right = right > 0 ? std::min(right + 14, 0.34 * data_.width_pt) : font;
    data_.area = {4.6 * font, 0, data_.width_pt - right, data_.height_pt - title_height()};
    legend_rows_ = flow_legend(false);
  }

  /// Height of what stands below the axes, but the key.
  double below() const { return 3.5 * data_.font_pt + legend_rows_ * 1.5 * small_; }
  /// Height that the key may take, with the line that keeps it apart.
  double key_room() const {
    const double room = data_.area.top - below() - least_height * data_.height_pt;
    return std::min(most_key * data_.height_pt, room) - line_height(small_);
  }

  double title_font() const { return 1.05 * data_.font_pt; }

  void titles() {
    const double room = data_.width_pt - data_.area.left - 4;
    double y = data_.height_pt - 3;
    for (const auto& [text, device] : data_.titles) {
      y -= line_height(title_font());
      unsigned colour = ink;
      for (const PlotRoof& roof : data_.roofs) {
        if (data_.several_devices && roof.device == device) colour = roof.colour;
      }
      PlotText title = level_text(fitted(text, title_font(), room), {data_.area.left, y}, title_font(), colour);
      title.bold = true;
      data_.texts.push_back(title);
    }
    y -= line_height(small_);
    std::string subtitle = data_.subtitle;
    const auto labelled = static_cast<std::size_t>(std::ranges::count(data_.points, true, &PlotPoint::labelled));
    if (unplaced_ > 0) subtitle = fmt::format("{} of {} labels left out; {}", unplaced_, labelled, subtitle);
    if (labelled < data_.points.size())
      subtitle = fmt::format("{} of {} points labelled, those that lose most time above their bounds; {}", labelled,
                             data_.points.size(), subtitle);
    data_.texts.push_back(level_text(fitted(subtitle, small_, room), {data_.area.left, y}, small_, pale_ink));
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
    double y = key_.height() + (legend_rows_ - 1) * 1.5 * small_ + 0.3 * small_;
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
    const auto line_item = [&](const std::string& text, LineStyle style, double width) {
      item(text, [&](Position at) { data_.leaders.push_back({{at, {at.x + sample, at.y}}, style, width, ink}); });
    };
    const auto has = [&](OperatingPoint at) {
      return std::ranges::any_of(data_.roofs, [&](const PlotRoof& roof) { return roof.flat && roof.at == at; });
    };
    if (has(OperatingPoint::burst)) line_item("burst", LineStyle::solid, 1.2);
    if (has(OperatingPoint::sustained)) line_item("sustained", LineStyle::dashed, 1.2);
    if (has(OperatingPoint::library)) line_item("library", LineStyle::dotted, 1.2);
    if (std::ranges::count(data_.roofs, LineStyle::dash_dot, &PlotRoof::style) > 0)
      line_item("datasheet", LineStyle::dash_dot, 1.2);
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

  /// Labels of flat roofs beside the axes, moved apart, each tied to its line.
  void margin_labels() {
    std::vector<double> heights, centres;
    for (int attempt = 0; attempt < 2; ++attempt) {
      heights.clear();
      double sum = 0;
      for (const RoofGroup& group : groups_) {
        const int lines = second_lines_ && !group.second_line().empty() ? 2 : 1;
        heights.push_back(lines * line_height(small_));
        sum += heights.back();
      }
      if (sum <= data_.height_pt - title_height() - margin_bottom()) break;
      second_lines_ = false;
    }
    for (const RoofGroup& group : groups_) centres.push_back(data_.position(data_.x.high, group.top).y);
    move_apart(centres, heights, margin_bottom(), data_.height_pt - title_height());
    const double left = data_.area.right + 11;
    const double room = data_.width_pt - left;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const RoofGroup& group = groups_[i];
      const double line_y = data_.position(data_.x.high, group.top).y;
      data_.leaders.push_back(
          {{{data_.area.right, line_y}, {left - 2, centres[i]}}, LineStyle::solid, 0.5, group.colour});
      double y = centres[i] + heights[i] / 2 - line_height(small_);
      data_.texts.push_back(level_text(fitted(group.first_line(), small_, room), {left, y}, small_, group.colour));
      if (heights[i] < 1.5 * line_height(small_)) continue;
      y -= line_height(small_);
      data_.texts.push_back(level_text(fitted(group.second_line(), small_, room), {left, y}, small_, pale_ink));
    }
  }

  PlotData& data_;
  std::vector<RoofGroup> all_groups_, groups_;  ///< all, and those with a label
  double small_{};
  bool second_lines_{};
  int legend_rows_{1};
  PointKey key_;
  std::size_t unplaced_{};
};

}  // namespace

void choose_labelled(std::vector<PlotPoint>& points, std::size_t most) {
  std::vector<PlotPoint*> order;
  for (PlotPoint& point : points) order.push_back(&point);
  std::ranges::stable_sort(order, std::greater<>{}, &PlotPoint::lost_s);
  for (std::size_t i = 0; i < order.size(); ++i) order[i]->labelled = i < most;
}

void lay_out(PlotData& data) { Layout(data).run(); }

}  // namespace gable::render
