#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
#include "core/sequence.hpp"

namespace gable::render {
namespace {

/// Up to so many points all have labels, in their places (on up to 8 inch, of several devices twice as many) and then
/// as numbers; of more only some, which stay readable.
constexpr std::size_t labels_in_place = 14, most_labels = 60, labels_of_many = 40;
constexpr double least_height = 0.4, most_key = 0.36;  ///< of the axes and of the key, as parts of the picture

class Layout {
 public:
  explicit Layout(PlotData& data) : data_(data), all_groups_(roof_groups(data)), groups_(all_groups_) {
    data_.font_pt = base_font(data.width_pt);
    small_ = small_font(data_.font_pt);
    std::string title = data_.title;
    for (const PlotDevice& device : data_.devices)
      if (data_.title.empty()) title += (title.empty() ? "" : "; ") + device.key;
    title_lines_ = lines_within(title, title_font(), title_room() / bold_extent);
    if (data_.title.empty() && title_lines_.size() > 1) title_lines_.clear();  // the legend has them, too
    subtitle_lines_ = lines_within(data_.subtitle, small_, title_room());
  }

  void run() {
    const double in_place =
        (data_.several_devices ? 2 : 1) * labels_in_place * std::max(1.0, data_.width_pt / (8 * 72));
    numbered_ = static_cast<double>(data_.points.size()) > in_place;
    arrange();
    if (unplaced_ > 0 && !numbered_) {
      numbered_ = true;
      arrange();
    }
    while (subtitle().size() > subtitle_lines_.size()) {  // what it says of labels that are left out
      subtitle_lines_ = subtitle();
      arrange();
    }
    titles();
  }

 private:
  void arrange() {
    data_.texts.clear();
    data_.leaders.clear();
    data_.markers.clear();
    second_lines_ = data_.width_pt >= 6 * 72;
    set_margins();
    number_points();
    key_ = PointKey(data_, small_, key_room());
    fit_groups();
    set_margins();
    data_.area.bottom = below() + key_.height();
    axis_titles();
    legend();
    key_.draw(data_);
    unplaced_ = add_inside_labels(data_, small_);
    margin_labels();
  }

  /// Numbers as many points as the key can tell, or none: then all are labelled in place. The same work of several
  /// devices has one number.
  void number_points() {
    using Work = std::pair<std::string, int>;
    const auto work_of = [](const PlotPoint& point) { return Work{point.name, point.which}; };
    const std::size_t all = data_.points.size(), wanted = all <= most_labels ? all : labels_of_many;
    const std::size_t most = numbered_ ? std::min(wanted, PointKey::capacity(data_, small_, key_room())) : all;
    auto order = mapped(data_.points, [](PlotPoint& point) { return &point; });
    std::ranges::stable_sort(order, std::greater<>{}, &PlotPoint::lost_s);
    std::map<Work, int> numbers;
    for (PlotPoint* point : order) {
      point->labelled = numbers.contains(work_of(*point)) || numbers.size() < most;
      if (point->labelled) numbers[work_of(*point)] = 0;
    }
    int next = 0;
    for (PlotPoint& point : data_.points) {
      point.number = 0;
      if (!numbered_ || !point.labelled) continue;
      int& number = numbers[work_of(point)];
      if (number == 0) number = ++next;
      point.number = number;
    }
  }

  /// Where the right margin begins to be free: what stands below the axes is as wide as the picture.
  double margin_bottom() const { return key_.height() + (legend_rows_ * 1.5 + 0.1) * small_; }

  /// As many groups as the right margin has room for above the legend and the key.
  void fit_groups() {
    groups_ = all_groups_;
    std::size_t memories = 0;
    for (const RoofGroup& group : groups_) memories += group.memories.size();
    const double room = (data_.height_pt - title_height() - margin_bottom()) / line_height(small_);
    const auto most = static_cast<std::size_t>(std::max(1.0, room - static_cast<double>(memories)));
    if (groups_.size() > most || data_.several_devices) groups_ = merged(groups_);
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

  double title_font() const { return 1.05 * data_.font_pt; }
  double title_room() const { return data_.width_pt - 4.6 * data_.font_pt - 4; }
  double title_height() const {
    return static_cast<double>(title_lines_.size()) * line_height(title_font()) +
           (static_cast<double>(subtitle_lines_.size()) + 0.5) * line_height(small_) + 3;
  }

  /// What stands in the margins decides the area of the axes.
  void set_margins() {
    const double font = data_.font_pt;
    double right = 0;
    for (const RoofGroup& group : groups_) {
      right = std::max(right, text_extent(group.first_line(small_, INFINITY), small_));
      for (const std::string& line : below_lines(group)) right = std::max(right, text_extent(line, small_));
    }
    right = right > 0 ? std::min(right + 14, 0.34 * data_.width_pt) : font;
    data_.area = {4.6 * font, 0, data_.width_pt - right, data_.height_pt - title_height()};
    legend_rows_ = flow_legend(false);
  }

  /// Height of what stands below the axes, but the key.
  double below() const { return 3.5 * data_.font_pt + legend_rows_ * 1.5 * small_; }
  /// Height that the key may take, with the line that keeps it apart: beside the axes stand two lines a device.
  double key_room() const {
    const double labels = 2 * static_cast<double>(data_.devices.size()) * line_height(small_) - 3.5 * data_.font_pt;
    const double axes = std::max(least_height * data_.height_pt, data_.several_devices ? labels : 0.0);
    const double room = data_.area.top - below() - axes;
    return std::min(most_key * data_.height_pt, room) - line_height(small_);
  }

  void titles() {
    double y = data_.height_pt - 3;
    for (const std::string& line : title_lines_) {
      y -= line_height(title_font());
      PlotText title = level_text(line, {data_.area.left, y}, title_font(), ink);
      title.bold = true;
      title.boxes.front().right += (bold_extent - 1) * title.boxes.front().width();
      data_.texts.push_back(title);
    }
    for (const std::string& line : subtitle()) {
      y -= line_height(small_);
      data_.texts.push_back(level_text(line, {data_.area.left, y}, small_, pale_ink));
    }
  }

  std::vector<std::string> subtitle() const {
    std::string text = data_.subtitle;
    const auto labelled = static_cast<std::size_t>(std::ranges::count(data_.points, true, &PlotPoint::labelled));
    if (unplaced_ > 0) text = fmt::format("{} of {} labels left out; {}", unplaced_, labelled, text);
    if (labelled < data_.points.size())
      text = fmt::format("{} of {} points labelled, those that lose most time above their bounds; {}", labelled,
                         data_.points.size(), text);
    return lines_within(text, small_, title_room());
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
    const double left = data_.several_devices ? 4 : data_.area.left;
    double x = left;
    double y = key_.height() + (legend_rows_ - 1) * 1.5 * small_ + 0.3 * small_;
    int rows = 1;
    const double sample = 2.2 * small_;
    const auto item = [&](const std::string& text, auto&& drawing, unsigned colour = ink) {
      const double width = sample + 3 + text_extent(text, small_) + 0.8 * small_;
      if (x > left && x + width > data_.width_pt) {
        x = left;
        y -= 1.5 * small_;
        ++rows;
      }
      if (draw) {
        drawing(Position{x, y + 0.5 * line_height(small_)});
        const std::string whole = fitted(text, small_, data_.width_pt - x - sample - 3);
        data_.texts.push_back(level_text(whole, {x + sample + 3, y}, small_, colour));
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
    const auto marker_item = [&](const std::string& text, std::optional<int> shape, unsigned colour) {
      item(text, [&](Position at) { data_.markers.push_back({{at.x + 0.5 * sample, at.y}, shape, colour}); });
    };
    if (!data_.ridges.empty()) marker_item("ridge", {}, ink);
    for (const DType dtype : all_dtypes) {
      const auto point = std::ranges::find(data_.points, dtype, &PlotPoint::dtype);
      if (point == data_.points.end() || data_.one_type) continue;
      marker_item(std::string(to_string(dtype)), point->shape, data_.several_devices ? ink : point->colour);
    }
    for (std::size_t i = 0; data_.several_devices && i < data_.devices.size(); ++i) {
      const PlotDevice& device = data_.devices[i];
      const auto as_its_points = [&](Position at) {
        if (data_.one_type)
          data_.markers.push_back({{at.x + 0.5 * sample, at.y}, static_cast<int>(i % marker_shapes), device.colour});
        else
          data_.leaders.push_back({{at, {at.x + sample, at.y}}, LineStyle::solid, 1.7, device.colour});
      };
      item(device.key, as_its_points, device.colour);
    }
    return rows;
  }
  void legend() { flow_legend(true); }

  /// What stands below the first line of a group.
  std::vector<std::string> below_lines(const RoofGroup& group) const {
    std::vector<std::string> lines = group.memories;
    if (second_lines_ && !group.second_line().empty()) lines.push_back(group.second_line());
    return lines;
  }

  /// Labels of flat roofs beside the axes, moved apart, each tied to its line.
  void margin_labels() {
    std::vector<double> heights, centres;
    for (int attempt = 0; attempt < 2; ++attempt) {
      heights.clear();
      double sum = 0;
      for (const RoofGroup& group : groups_) {
        heights.push_back(static_cast<double>(1 + below_lines(group).size()) * line_height(small_));
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
      data_.texts.push_back(level_text(group.first_line(small_, room), {left, y}, small_, group.colour));
      for (const std::string& line : below_lines(group)) {
        y -= line_height(small_);
        data_.texts.push_back(level_text(fitted(line, small_, room), {left, y}, small_, pale_ink));
      }
    }
  }

  PlotData& data_;
  std::vector<RoofGroup> all_groups_, groups_;  ///< all, and those with a label
  double small_{};
  bool second_lines_{}, numbered_{};
  std::vector<std::string> title_lines_, subtitle_lines_;
  int legend_rows_{1};
  PointKey key_;
  std::size_t unplaced_{};
};

}  // namespace

double base_font(double width_pt) { return std::clamp(5 + 0.5 * width_pt / 72, 6.5, 11.0); }

void lay_out(PlotData& data) { Layout(data).run(); }

}  // namespace gable::render
