#include "core/report/label_placement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace gable::report {
namespace {

constexpr double clearance = 1.0;  ///< pt between two texts

double em(char c) {
  constexpr std::string_view narrow = "iljtfrI.,:;|!'()[]/ ";
  constexpr std::string_view wide = "mwMW%@";
  if (narrow.find(c) != std::string_view::npos) return 0.40;
  if (wide.find(c) != std::string_view::npos) return 0.98;
  return c >= 'A' && c <= 'Z' ? 0.74 : 0.635;
}

Box grown(const Box& box, double by) { return {box.left - by, box.bottom - by, box.right + by, box.top + by}; }

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

bool Placement::is_free(const Box& box) const {
  if (!inside(box, area_)) return false;
  const Box wanted = grown(box, clearance);
  return std::ranges::none_of(taken_, [&](const Box& taken) { return overlap(wanted, taken); });
}

double Placement::cost(Position anchor, const Box& box) const {
  const double dx = std::max({box.left - anchor.x, anchor.x - box.right, 0.0});
  const double dy = std::max({box.bottom - anchor.y, anchor.y - box.top, 0.0});
  const auto lines = std::ranges::count_if(lines_, [&](const Segment& s) { return crosses(s.from, s.to, box); });
  return std::hypot(dx, dy) + 1.2 * box.height() * static_cast<double>(lines);
}

bool Placement::place(Position anchor, double radius, double width, double height, double reach, Box& result) {
  constexpr int directions = 24;
  double least = INFINITY;
  for (double distance = radius + 1.5; distance <= radius + reach; distance += 0.5 * height) {
    for (int i = 0; i < directions; ++i) {
      const double angle = 2 * std::numbers::pi * i / directions;
      const double c = std::cos(angle), s = std::sin(angle);
      const double x = anchor.x + c * distance + 0.5 * width * (std::abs(c) < 0.3 ? c / 0.3 : std::copysign(1.0, c));
      const double y = anchor.y + s * (distance + 0.5 * height);
      const Box box{x - width / 2, y - height / 2, x + width / 2, y + height / 2};
      if (!is_free(box)) continue;
      if (const double price = cost(anchor, box); price < least) {
        least = price;
        result = box;
      }
    }
    if (least <= distance) break;
  }
  if (!std::isfinite(least)) return false;
  take(result);
  return true;
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

void spread(std::vector<double>& centres, const std::vector<double>& heights, double bottom, double top) {
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

}  // namespace gable::report
