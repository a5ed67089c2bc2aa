#pragma once
#include <optional>
#include <string_view>
#include <vector>

/// Where texts go so that none covers another. Lengths are in pt (1/72 inch), y upwards.
namespace gable::render {

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
inline constexpr double bold_extent = 1.15;  ///< of bold text over that
inline double line_height(double font_pt) { return 1.25 * font_pt; }

/// Boxes that cover text turned by `angle` (rad) about its lower left corner `from`.
std::vector<Box> turned_text(Position from, double width, double height, double angle);

struct Segment {
  Position from, to;
};
/// Do two straight lines have a point in common?
bool cross(const Segment& a, const Segment& b);

/// What marks one spot: it covers the square of `radius` around its centre.
struct Marker {
  Position centre;
  double radius{};
  Box box() const;
};

/// How much room a label found.
enum class Room {
  ample,  ///< leaders keep off texts and off each other
  tight,  ///< a leader crosses a text or comes near to another leader
  none    ///< a leader crosses another marker or another leader
};

/// Where the text of a marker goes.
struct Label {
  Box box;
  std::optional<Segment> leader;  ///< from the edge of the marker to the text, where they do not stand side by side
  Room room{};
};

/// Places texts one after the other: never over a box or a marker that is taken or outside the area, over as few lines
/// and as near to its marker as possible.
class Placement {
 public:
  explicit Placement(Box area) : area_(area) {}
  void take(const Box& box) { taken_.push_back(box); }
  void take(const Marker& marker) { markers_.push_back(marker); }
  void avoid(const Segment& line) { lines_.push_back(line); }
  bool is_free(const Box& box) const;
  /// Reserves and returns a place for the text of a marker that is taken, within `reach` of it; nothing if there is
  /// none. Text farther than `beside` from its marker, or nearer to another one, gets a leader. Where that can be had
  /// it crosses no text, no other leader and no other marker. One that overlaps its own marker hides the beginning of
  /// the leader, whatever its direction: it is crossed rather than a text or a third marker.
  std::optional<Label> place(const Marker& marker, double width, double height, double reach, double beside);
  /// Reserves a place for text along a line, above or below it, that covers at most `may_cover` pt of the lines to
  /// avoid and as little as possible.
  bool place_along(const Segment& line, double width, double height, double may_cover, Position& from);

 private:
  /// Whether a leader crosses nothing that it must not where there is so much room.
  bool is_clear(const Marker& own, const Segment& leader, Room room) const;
  bool is_nearer_to_another(const Marker& own, const Box& box) const;
  /// Text at this free place; nothing where something is in the way of its leader.
  std::optional<Label> label_at(const Marker& marker, const Box& box, double beside, Room room) const;
  /// How much worse a leader is for what it crosses, in heights of the text.
  double crossing_cost(const Marker& own, const Segment& leader) const;
  double cost(const Marker& marker, const Label& label) const;
  double covered(Position at, double width, double height, double angle) const;
  Box area_;
  std::vector<Box> taken_;
  std::vector<Marker> markers_;
  std::vector<Segment> lines_, leaders_;
};

/// Moves centres apart so that stacked heights do not overlap between bottom and top, keeping their order; each as near
/// as possible to where it was. Heights are scaled nowhere: the caller checks that the sum fits.
void move_apart(std::vector<double>& centres, const std::vector<double>& heights, double bottom, double top);

}  // namespace gable::render
