#include "core/render/label_placement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace gable::render {
namespace {

constexpr double clearance = 1.0;  ///< pt between two texts, two leaders, or a text and a leader

double em(char c) {
  constexpr std::string_view narrow = "iljtfrI.,:;|!'()[]/ ";
  constexpr std::string_view wide = "mwMW%@";
  if (narrow.find(c) != std::string_view::npos) return 0.40;
  if (wide.find(c) != std::string_view::npos) return 0.98;
  return c >= 'A' && c <= 'Z' ? 0.74 : 0.635;
}

Box grown(const Box& box, double by) { return {box.left - by, box.bottom - by, box.right + by, box.top + by}; }

Position nearest(Position to, const Box& box) {
  return {std::clamp(to.x, box.left, box.right), std::clamp(to.y, box.bottom, box.top)};
}

double gap_to(Position from, const Box& box) {
  const Position near = nearest(from, box);
  return std::hypot(near.x - from.x, near.y - from.y);
}

double gap_to(Position from, const Segment& line) {
  const double dx = line.to.x - line.from.x, dy = line.to.y - line.from.y;
  const double length = std::hypot(dx, dy);
  const double along = length > 0 ? ((from.x - line.from.x) * dx + (from.y - line.from.y) * dy) / (length * length) : 0;
  const double share = std::clamp(along, 0.0, 1.0);
  return std::hypot(line.from.x + share * dx - from.x, line.from.y + share * dy - from.y);
}

/// Two lines that do not cross are nearest to each other at one of their ends.
bool cross_or_touch(const Segment& a, const Segment& b) {
  return cross(a, b) || std::min({gap_to(a.from, b), gap_to(a.to, b), gap_to(b.from, a), gap_to(b.to, a)}) < clearance;
}

}  // namespace

bool overlap(const Box& a, const Box& b) {
  constexpr double touching = 1e-6;  // pt: neighbours share an edge but for rounding
  return a.left < b.right - touching && b.left < a.right - touching && a.bottom < b.top - touching &&
         b.bottom < a.top - touching;
}

bool inside(const Box& inner, const Box& outer) {
  return inner.left >= outer.left && inner.right <= outer.right && inner.bottom >= outer.bottom &&
         inner.top <= outer.top;
}

double length_inside(Position a, Position b, const Box& box) {
  double enter = 0, leave = 1;
  const auto clip = [&](double from, double step, double low, double high) {
    if (step == 0) return from >= low && from <= high;
    const double t1 = (low - from) / step, t2 = (high - from) / step;
    enter = std::max(enter, std::min(t1, t2));
    leave = std::min(leave, std::max(t1, t2));
    return enter <= leave;
  };
  const bool touches = clip(a.x, b.x - a.x, box.left, box.right) && clip(a.y, b.y - a.y, box.bottom, box.top);
  return touches ? (leave - enter) * std::hypot(b.x - a.x, b.y - a.y) : 0;
}

bool crosses(Position a, Position b, const Box& box) { return length_inside(a, b, box) > 0; }

double text_extent(std::string_view text, double font_pt) {
  double sum = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) sum += em(c);
  }
  return sum * font_pt;
}

std::vector<Box> turned_text(Position from, double width, double height, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const int pieces = std::max(1, static_cast<int>(std::ceil(width / height)));
  std::vector<Box> boxes;
  for (int i = 0; i < pieces; ++i) {
    const double a = width * i / pieces, b = width * (i + 1) / pieces;
    Box box{INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (const double along : {a, b}) {
      for (const double up : {0.0, height}) {
        const double x = from.x + along * c - up * s, y = from.y + along * s + up * c;
        box = {std::min(box.left, x), std::min(box.bottom, y), std::max(box.right, x), std::max(box.top, y)};
      }
    }
    boxes.push_back(box);
  }
  return boxes;
}

bool cross(const Segment& a, const Segment& b) {
  // on which side of a line through two points a third one lies: the sign of the cross product
  const auto side = [](Position from, Position to, Position p) {
    return (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
  };
  const auto apart = [](double a1, double a2, double b1, double b2) {
    return std::max(a1, a2) < std::min(b1, b2) || std::max(b1, b2) < std::min(a1, a2);
  };
  if (apart(a.from.x, a.to.x, b.from.x, b.to.x) || apart(a.from.y, a.to.y, b.from.y, b.to.y)) return false;
  return side(a.from, a.to, b.from) * side(a.from, a.to, b.to) <= 0 &&
         side(b.from, b.to, a.from) * side(b.from, b.to, a.to) <= 0;
}

Box Marker::box() const { return {centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius}; }

bool Placement::is_free(const Box& box) const {
  if (!inside(box, area_)) return false;
  const Box wanted = grown(box, clearance);
  return std::ranges::none_of(taken_, [&](const Box& taken) { return overlap(wanted, taken); }) &&
         std::ranges::none_of(markers_, [&](const Marker& marker) { return overlap(wanted, marker.box()); });
}

bool Placement::is_clear(const Marker& own, const Segment& leader, Room room) const {
  if (room == Room::none) return true;
  const bool ample = room == Room::ample;
  const auto through = [&](const Box& box) { return crosses(leader.from, leader.to, box); };
  const auto at_text = [&](const Box& box) { return through(grown(box, clearance)); };
  const auto met = [&](const Segment& other) { return ample ? cross_or_touch(leader, other) : cross(leader, other); };
  const auto hit = [&](const Marker& one) { return !overlap(one.box(), own.box()) && through(one.box()); };
  return std::ranges::none_of(markers_, hit) && std::ranges::none_of(leaders_, met) &&
         !(ample && std::ranges::any_of(taken_, at_text));
}

double Placement::crossing_cost(const Marker& own, const Segment& leader) const {
  constexpr double beneath = 2, marker = 12, line = 6;  // a neighbour that overlaps the own marker; others; leaders
  const auto is_own = [&](const Marker& one) { return one.centre.x == own.centre.x && one.centre.y == own.centre.y; };
  double sum = 0;
  for (const Marker& one : markers_) {
    if (is_own(one) || !crosses(leader.from, leader.to, one.box())) continue;
    sum += overlap(one.box(), own.box()) ? beneath : marker;
  }
  for (const Segment& other : leaders_) sum += cross(leader, other) ? line : 0;
  return sum;
}

bool Placement::is_nearer_to_another(const Marker& own, const Box& box) const {
  const double gap = gap_to(own.centre, box);
  return std::ranges::any_of(markers_, [&](const Marker& one) { return gap_to(one.centre, box) < gap; });
}

std::optional<Label> Placement::label_at(const Marker& marker, const Box& box, double beside, Room room) const {
  const auto covered = [&](const Segment& leader) { return crosses(leader.from, leader.to, grown(box, clearance)); };
  if (room == Room::ample && std::ranges::any_of(leaders_, covered)) return {};
  const double gap = gap_to(marker.centre, box);
  if (gap <= marker.radius + beside && !is_nearer_to_another(marker, box)) return Label{box, {}, room};
  const Position end = nearest(marker.centre, box);
  const double share = marker.radius / gap;
  const Segment leader{{std::lerp(marker.centre.x, end.x, share), std::lerp(marker.centre.y, end.y, share)}, end};
  if (!is_clear(marker, leader, room)) return {};
  return Label{box, leader, room};
}

double Placement::cost(const Marker& marker, const Label& label) const {
  const auto lines = std::ranges::count_if(lines_, [&](const Segment& s) { return crosses(s.from, s.to, label.box); });
  const double doubtful = is_nearer_to_another(marker, label.box) ? 1 : 0;
  const double crossed = label.leader ? crossing_cost(marker, *label.leader) : 0;
  return gap_to(marker.centre, label.box) +
         label.box.height() * (1.2 * static_cast<double>(lines) + doubtful + crossed);
}

std::optional<Label> Placement::place(const Marker& marker, double width, double height, double reach, double beside) {
  constexpr int directions = 24;
  const Position anchor = marker.centre;
  std::optional<Label> best;
  double least = INFINITY;
  bool any_free = false;
  for (const Room room : {Room::ample, Room::tight, Room::none}) {
    for (double distance = marker.radius + 1.5; distance <= marker.radius + reach; distance += 0.5 * height) {
      for (int i = 0; i < directions; ++i) {
        const double angle = 2 * std::numbers::pi * i / directions;
        const double c = std::cos(angle), s = std::sin(angle);
        const double x = anchor.x + c * distance + 0.5 * width * (std::abs(c) < 0.3 ? c / 0.3 : std::copysign(1.0, c));
        const double y = anchor.y + s * (distance + 0.5 * height);
        const Box box{x - width / 2, y - height / 2, x + width / 2, y + height / 2};
        if (gap_to(anchor, box) >= least || !is_free(box)) continue;
        any_free = true;
        const auto label = label_at(marker, box, beside, room);
        if (!label) continue;
        if (const double price = cost(marker, *label); price < least) {
          least = price;
          best = label;
        }
      }
      if (least <= distance) break;
    }
    if (best || !any_free) break;
  }
  if (!best) return {};
  take(best->box);
  if (best->leader) leaders_.push_back(*best->leader);
  return best;
}

bool Placement::place_along(const Segment& line, double width, double height, double may_cover, Position& from) {
  const double dx = line.to.x - line.from.x, dy = line.to.y - line.from.y;
  const double length = std::hypot(dx, dy);
  const double angle = std::atan2(dy, dx);
  double least = INFINITY;
  std::vector<Box> best;
  for (const double up : {1.5, -height - 1}) {
    for (double along = 4; along + width <= length; along += 4) {
      const Position at{line.from.x + along * dx / length - up * std::sin(angle),
                        line.from.y + along * dy / length + up * std::cos(angle)};
      const auto boxes = turned_text(at, width, height, angle);
      if (!std::ranges::all_of(boxes, [&](const Box& box) { return is_free(box); })) continue;
      const double crossed = covered(at, width, height, angle);
      if (crossed > may_cover) continue;
      const double price = along + (up < 0 ? 2 : 0) + 20 * crossed;
      if (price >= least) continue;
      least = price;
      from = at;
      best = boxes;
    }
  }
  taken_.insert(taken_.end(), best.begin(), best.end());
  return !best.empty();
}

double Placement::covered(Position at, double width, double height, double angle) const {
  const double c = std::cos(angle), s = std::sin(angle);
  // in the frame of the text, where its extent is upright
  const auto turned = [&](Position p) {
    return Position{(p.x - at.x) * c + (p.y - at.y) * s, (p.y - at.y) * c - (p.x - at.x) * s};
  };
  double sum = 0;
  for (const Segment& line : lines_) sum += length_inside(turned(line.from), turned(line.to), {0, 0, width, height});
  return sum;
}

void move_apart(std::vector<double>& centres, const std::vector<double>& heights, double bottom, double top) {
  std::vector<std::size_t> order(centres.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return centres[i]; });
  // Blocks of touching texts, each centred where its members want to be on average (pool adjacent violators).
  struct Run {
    double low, height, wanted;  ///< wanted: sum over members of the lowest edge each asks the run for
    std::size_t count;
  };
  std::vector<Run> runs;
  const auto settle = [&](Run& run) {
    run.low = std::clamp(run.wanted / static_cast<double>(run.count), bottom, std::max(bottom, top - run.height));
  };
  for (const std::size_t i : order) {
    Run run{0, heights[i], centres[i] - heights[i] / 2, 1};
    settle(run);
    while (!runs.empty() && runs.back().low + runs.back().height > run.low) {
      const Run before = runs.back();
      runs.pop_back();
      run = {0, before.height + run.height, before.wanted + run.wanted - static_cast<double>(run.count) * before.height,
             before.count + run.count};
      settle(run);
    }
    runs.push_back(run);
  }
  std::size_t next = 0;
  for (const Run& run : runs) {
    double y = run.low;
    for (std::size_t k = 0; k < run.count; ++k) {
      const std::size_t i = order[next++];
      centres[i] = y + heights[i] / 2;
      y += heights[i];
    }
  }
}

}  // namespace gable::render
