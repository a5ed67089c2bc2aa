#pragma once
#include <string_view>
#include <vector>

/// Where texts go so that none covers another. Lengths are in pt (1/72 inch), y upwards.
namespace gable::report {

struct Position {
  double x{}, y{};
};

struct Box {
  double left{}, bottom{}, right{}, top{};
  double width() const { return right - left; }
  double height() const { return top - bottom; }
  bool operator==(const Box&) const = default;
};

/// Sharing an edge is no overlap.
bool overlap(const Box& a, const Box& b);
bool inside(const Box& inner, const Box& outer);
/// Length of the part of the straight line from `a` to `b` that lies in the box.
double length_inside(Position a, Position b, const Box& box);
/// Does the straight line from `a` to `b` run through the box?
bool crosses(Position a, Position b, const Box& box);

/// Extent of a line of sans-serif text at a font size, from the widths of a wide face: other faces are narrower.
double text_extent(std::string_view text, double font_pt);
inline double line_height(double font_pt) { return 1.25 * font_pt; }

/// Boxes that cover text turned by `angle` (rad) about its lower left corner `from`.
std::vector<Box> turned_text(Position from, double width, double height, double angle);

struct Segment {
  Position from, to;
};

/// Places texts one after the other: never over a box that is taken or outside the area, over as few lines and as near
/// to its anchor as possible.
class Placement {
 public:
  explicit Placement(Box area) : area_(area) {}
  void take(const Box& box) { taken_.push_back(box); }
  void avoid(const Segment& line) { lines_.push_back(line); }
  bool is_free(const Box& box) const;
  /// Reserves and returns a place within `reach` of the anchor, which a marker of `radius` covers; false if none.
  bool place(Position anchor, double radius, double width, double height, double reach, Box& result);
  /// Reserves a place for text along a line, above or below it, that covers at most `may_cover` pt of the lines to
  /// avoid and as little as possible.
  bool place_along(const Segment& line, double width, double height, double may_cover, Position& from);

 private:
  double cost(Position anchor, const Box& box) const;
  double covered(Position at, double width, double height, double angle) const;
  Box area_;
  std::vector<Box> taken_;
  std::vector<Segment> lines_;
};

/// Moves centres apart so that stacked heights do not overlap between bottom and top, keeping their order; each as near
/// as possible to where it was. Heights are scaled nowhere: the caller checks that the sum fits.
void spread(std::vector<double>& centres, const std::vector<double>& heights, double bottom, double top);

}  // namespace gable::report
