#include "core/render/plot_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/units.hpp"
#include "core/sequence.hpp"

namespace gable::render {
namespace {

std::string short_name(const PlotRoof& roof) {
  const bool random = roof.bandwidth && roof.bandwidth->access == Access::random;
  return roof.level + (!roof.thin ? "" : random ? " random" : " NT");
}

class InsideLabels {
 public:
  InsideLabels(PlotData& data, double font_pt) : data_(data), small_(font_pt), radius_(0.38 * data.font_pt) {
    for (std::size_t i = 0; i < data.points.size(); ++i) {
      if (data.points[i].labelled) labelled_.push_back(i);
    }
  }

  std::size_t run() {
    Placement placement(data_.area);
    const auto keep_clear = [&](double intensity, double rate) { placement.take(marker(intensity, rate)); };
    for (const std::size_t i : labelled_) keep_clear(data_.points[i].intensity, data_.points[i].flop_per_s);
    for (const PlotRidge& ridge : data_.ridges) keep_clear(ridge.intensity, ridge.flop_per_s);
    for (const PlotRoof& roof : data_.roofs) placement.avoid(path(roof));
    for (const std::size_t i : labelled_) {
      const PlotPoint& point = data_.points[i];
      if (point.limit)
        placement.avoid(
            {data_.position(point.intensity, point.flop_per_s), data_.position(point.intensity, *point.limit)});
    }
    slope_labels(placement);
    point_labels(placement);
    region_names(placement);
    return unplaced_;
  }

 private:
  Marker marker(double intensity, double rate) const { return {data_.position(intensity, rate), radius_}; }

  Segment path(const PlotRoof& roof) const {
    return {data_.position(roof.from, roof.at_intensity(roof.from)),
            data_.position(roof.to, roof.at_intensity(roof.to))};
  }

  /// Slopes that need a label, with those of main memories first, because ridges and most bounds are theirs.
  std::vector<PlotRoof> slopes() const {
    auto list =
        filtered(data_.roofs, [&](const PlotRoof& roof) { return !roof.flat && !is_below_a_group(data_, roof); });
    std::ranges::stable_partition(list, &PlotRoof::main);
    return list;
  }

  /// The fullest text that stays clear of every line, else the fullest that covers a few.
  void slope_labels(Placement& placement) {
    for (const PlotRoof& roof : slopes()) {
      std::vector<std::string> texts{roof.label + " " + format_quantity(roof.rate, "byte/s"), slope_text(roof)};
      if (data_.width_pt < 5 * 72) texts.erase(texts.begin());
      // first over no line, then across a few, then anywhere
      for (const double may_cover : {0.0, 3 * line_height(small_), std::numeric_limits<double>::infinity()}) {
        const auto placed = [&](const std::string& text) { return slope_label(placement, roof, text, may_cover); };
        if (std::ranges::any_of(texts, placed)) break;
        if (std::isinf(may_cover)) slope_label(placement, roof, short_name(roof), may_cover);
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

  /// A label a point, in the order of the points; nothing where there is no room, or none is wanted.
  using Labels = std::vector<std::optional<Label>>;

  std::string text_of(const PlotPoint& point) const {
    if (point.number == 0) return point.label;
    return point.letter.substr(0, 1) + std::to_string(point.number);
  }

  Labels placed(Placement& placement, const std::vector<std::size_t>& order) const {
    Labels labels(data_.points.size());
    for (const std::size_t i : order) {
      const PlotPoint& point = data_.points[i];
      const double lines = point.number == 0 ? 7 : 3;
      const double reach =
          point.number > 0 && !data_.several_devices ? data_.area.width() : lines * line_height(small_);
      labels[i] = placement.place(marker(point.intensity, point.flop_per_s), text_extent(text_of(point), small_),
                                  line_height(small_) * 0.95, reach, 0.6 * small_);
    }
    return labels;
  }

  /// Labels that find no room among the others, or too little, come first in the next attempt. Many points have fewer
  /// attempts: each takes a time that grows with the square of their number.
  void point_labels(Placement& placement) {
    constexpr std::size_t most_attempts = 12, most_placed = 1000;
    const std::size_t attempts =
        std::clamp(most_placed / std::max<std::size_t>(1, labelled_.size()), std::size_t{1}, most_attempts);
    constexpr int patience = 2;
    int in_vain = 0;
    const Placement empty = placement;
    std::vector<std::size_t> order = labelled_;
    Labels best;
    using Found = std::array<std::size_t, 3>;  // counts of labels: not placed, crossing lines, in tight places
    Found least{order.size() + 1};
    for (std::size_t attempt = 0; attempt < attempts && least > Found{} && in_vain < patience; ++attempt) {
      Placement trial = empty;
      Labels labels = placed(trial, order);
      const auto is_missing = [](const auto& label) { return !label; };
      const auto is_crossing = [](const auto& label) { return label && label->room == Room::none; };
      const auto is_tight = [](const auto& label) { return label && label->room == Room::tight; };
      const auto count_if = [&](const auto& is) {
        return static_cast<std::size_t>(std::ranges::count_if(labelled_, [&](std::size_t i) { return is(labels[i]); }));
      };
      const Found found{count_if(is_missing), count_if(is_crossing), count_if(is_tight)};
      std::ranges::stable_partition(order, [&](std::size_t i) { return is_tight(labels[i]); });
      std::ranges::stable_partition(order, [&](std::size_t i) { return is_crossing(labels[i]); });
      std::ranges::stable_partition(order, [&](std::size_t i) { return is_missing(labels[i]); });
      ++in_vain;
      if (found >= least) continue;
      in_vain = 0;
      least = found;
      best = std::move(labels);
      placement = std::move(trial);
    }
    unplaced_ = least.front();
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (best[i]) add_label(data_.points[i], *best[i]);
    }
  }

  void add_label(const PlotPoint& point, const Label& label) {
    const Box& box = label.box;
    data_.texts.push_back({text_of(point), {box.left, box.bottom}, small_, 0, point.colour, false, {box}, true});
    if (label.leader) data_.leaders.push_back({*label.leader, LineStyle::solid, 0.4, point.colour});
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
  double small_;
  double radius_;                      ///< of a marker
  std::vector<std::size_t> labelled_;  ///< points
  std::size_t unplaced_{};
};

}  // namespace

std::string slope_text(const PlotRoof& roof) { return short_name(roof) + " " + format_quantity(roof.rate, "byte/s"); }

std::size_t add_inside_labels(PlotData& data, double font_pt) { return InsideLabels(data, font_pt).run(); }

}  // namespace gable::render
