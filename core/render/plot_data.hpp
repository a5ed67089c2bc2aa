#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/render/label_placement.hpp"
#include "core/render/palette.hpp"
#include "core/result/result.hpp"

/// What a roofline picture shows, free of any drawing program.
namespace gable::render {

struct PlotOptions {
  double width_in{8}, height_in{5.5};           ///< inch; png at 150 dots per inch
  std::vector<DType> dtypes{};                  ///< compute roofs and points to show; empty: all
  std::vector<Unit> units{};                    ///< compute roofs to show; empty: all that flops have
  bool all_roofs{};                             ///< every roof there is, also of several devices
  std::optional<Scope> scope{};                 ///< empty: the widest the result holds
  Theme theme{Theme::light};                    ///< of a picture
  std::string title{};                          ///< empty: device names
  std::vector<catalogue::Device> datasheets{};  ///< drawn behind the measured devices, whatever the scope
};

enum class LineStyle { solid, dashed, dotted, dash_dot };

/// What the operating points of a compute roof have in common, as it is written beside them.
struct RoofName {
  std::string device;        ///< its letter and a space ("A,B " of equal ones), empty where one device is shown
  std::string type;          ///< "fp32", "fp16->fp16"; several that share a line: "fp16/bf16"
  std::string unit;          ///< "vector", "matrix packed"
  std::string text() const;  ///< "A fp32 vector"
  auto operator<=>(const RoofName&) const = default;
};

/// A flat roof (flop/s) or a sloped one (byte/s), between two intensities.
struct PlotRoof {
  std::string device;
  std::string label;  ///< "fp32 vector burst", "DRAM triad"
  bool flat{};
  double rate{}, low{}, high{};  ///< flop/s or byte/s with its 95 % interval
  double from{}, to{};           ///< flop/byte
  LineStyle style{LineStyle::solid};
  double width{1};  ///< pt
  unsigned colour{};
  std::string letter;  ///< with which the label begins: "A "
  std::string level;   ///< of a slope, with the device's letter: "DRAM", "A DRAM"
  bool thin{};         ///< a slope of stores past the caches, or of lines at random
  bool main{};         ///< a slope of the outermost level, its non-temporal one aside
  bool drawn{true};    ///< in pictures
  RoofName group;      ///< flat: the operating points of a group share a label
  OperatingPoint at{OperatingPoint::none};
  std::optional<ComputeRoof> compute{};      ///< that a flat line shows
  std::optional<BandwidthRoof> bandwidth{};  ///< that a slope shows
  /// flop/s at an intensity.
  double at_intensity(double intensity) const { return flat ? rate : rate * intensity; }
};

/// Where a compute roof meets the outermost memory level.
struct PlotRidge {
  std::string device, label;
  double intensity{}, low{}, high{};  ///< flop/byte: P / B, with the intervals of both carried over
  double flop_per_s{};
  unsigned colour{};
};

/// The work of a point over the bytes of an inner level.
struct PlotLevel {
  std::string level;
  double intensity{};  ///< flop/byte
};

struct Range {
  double low{}, high{};
};

struct PlotPoint {
  std::string device, label;    ///< "A gemm fp32 92 %"
  std::string detail;           ///< label with implementation and parameters, for the key
  std::string letter;           ///< "A "
  std::string name;             ///< "gemm fp32"; of several devices without the type that all points have
  int which{};                  ///< of the points of its device that have this name
  std::optional<double> share;  ///< of its limit
  double intensity{}, flop_per_s{};
  std::optional<double> limit;  ///< flop/s this point could reach
  /// flop/s of the longest and the shortest of the calls that it is the mean of, if each did the same; 0: unknown
  Range of_calls{};
  DType dtype{};
  std::optional<DType> roof;    ///< the type of the compute roof that its work meets
  std::optional<double> ridge;  ///< flop/byte of that roof with the outermost level
  int shape{};                  ///< of dtype_shape(); of several devices and one type it tells the device
  unsigned colour{};
  double lost_s{};                  ///< time above its bound, without one all of it, of all its runs, s
  bool labelled{true};              ///< others are markers only
  int number{};                     ///< 0: labelled in place; the same work of several devices has one
  std::size_t row{};                ///< index among the points of the result
  std::vector<PlotLevel> levels{};  ///< of a profiler that counted the bytes of inner levels
};

/// A device that is shown.
struct PlotDevice {
  std::string id, name, title;
  std::string key;             ///< its letter, name and threads, of several of one name the file
  std::string letter;          ///< "A"; empty where one device is shown
  std::optional<Scope> scope;  ///< none of a datasheet
  unsigned colour{};
  std::vector<Level> levels;         ///< innermost first
  std::optional<Overhead> overhead;  ///< of a launch
};

struct PlotText {
  std::string text;
  Position at;  ///< pt, lower left corner
  double font_pt{};
  double angle{};  ///< rad
  unsigned colour{};
  bool bold{};
  std::vector<Box> boxes;  ///< what it covers
  bool backed{};           ///< a white ground keeps it readable over lines
};

struct PlotStroke {
  Segment path;  ///< pt
  LineStyle style{LineStyle::solid};
  double width{0.5};  ///< pt
  unsigned colour{};
};

/// A marker of the legend.
struct PlotMarker {
  Position at;
  std::optional<int> shape;  ///< none: a ridge
  unsigned colour{};
};

struct PlotData {
  double width_pt{}, height_pt{}, font_pt{};
  Theme theme{Theme::light};  ///< all colours here are those of the light one
  Box area;                   ///< of the axes, pt
  Range x, y;                 ///< flop/byte, flop/s
  double y_scale{1};
  std::string x_title, y_title;
  std::vector<PlotDevice> devices;
  std::vector<PlotRoof> roofs;
  std::vector<PlotRidge> ridges;
  std::vector<PlotPoint> points;
  std::string title;       ///< the user's, else that of the only device; of several none
  bool several_devices{};  ///< colours tell devices apart, not types
  bool one_type{};         ///< of several devices: all points have the same
  std::string subtitle;
  std::vector<PlotText> texts;
  std::vector<PlotStroke> leaders;  ///< from moved texts to what they name, and legend samples
  std::vector<PlotMarker> markers;  ///< of the legend
  /// flop/byte, for the roofs that points have, without points for all; absent where a device has none of its main
  /// memory.
  std::optional<double> memory_bound_until, compute_bound_from;

  Position position(double intensity, double flop_per_s) const;
};

/// Roofs, ridges and points that options ask for, with axes around them; nothing is laid out yet. Rows that are not ok,
/// and points without flops or bytes, are left out. Throws Error when nothing is left, and for more devices than can be
/// told apart. Of several devices the best unit of each type that points have, or that the devices share, and the main
/// memories and levels that limit points, as many as a picture of this size can name, unless others are asked for;
/// lines that lie on each other are one.
PlotData collect(const Result& result, const PlotOptions& options);
/// All roofs; those that collect() leaves out are not `drawn`. There may be nothing to show.
PlotData collect_any(const Result& result, const PlotOptions& options);
/// Whether the options ask for one of its types.
bool has_type_of(const Point& point, const PlotOptions& options);
/// "92 %"; 100 % also where the interval allows a little more.
std::string percent(double share);
/// Gives every text its place.
void lay_out(PlotData& data);
/// Both.
PlotData plot_data(const Result& result, const PlotOptions& options);

/// Chooses the ranges of both axes with room around roofs, ridges and points, their titles and the unit of performance.
void set_axes(PlotData& data);

/// Both axes out of the roofs alone, in whole decades: two pictures of a machine have the same, whatever ran on it.
struct Frame {
  Range x, y;  ///< flop/byte, flop/s
};
Frame machine_frame(const PlotData& data);

/// One mark on a logarithmic axis.
struct Tick {
  double value{};
  int multiple{};  ///< of a power of ten, 1 to 9
  bool labelled{};
};
/// All of 1 … 9 times powers of ten within a range; labels thin out as the decades grow: 1, 2, 3, 5, 7, then 1, 2, 5,
/// then 1.
std::vector<Tick> ticks(const Range& range);

/// The flat roofs of one type and unit that share a label in the right margin.
struct RoofGroup {
  RoofName name;
  std::map<OperatingPoint, double> rates;  ///< flop/s
  double top{};                            ///< highest of them
  unsigned colour{};
  /// Of several devices the highest group has the main memory below it, of devices that share it all of theirs: "A DRAM
  /// 103 GB/s".
  std::vector<std::string> memories{};

  /// Name and highest rate, at most `width` wide: of types that share it "fp16 +2", and of a long name its beginning,
  /// but the whole figure.
  std::string first_line(double font_pt, double width) const;
  /// The other operating points; empty if there is but one.
  std::string second_line() const;
};

/// Whether it stands beside the axes, below a group.
bool is_below_a_group(const PlotData& data, const PlotRoof& slope);
/// "A DRAM 103 GB/s"
std::string slope_text(const PlotRoof& roof);
std::vector<RoofGroup> roof_groups(const PlotData& data);

/// Those of one device and unit whose lines lie on each other as one: "A fp32/fp16 vector". Groups of several operating
/// points stay as they are.
std::vector<RoofGroup> merged(const std::vector<RoofGroup>& groups);

/// Says which compute roofs of several devices are drawn where the user asked for no others: of every type that points
/// have, or that most devices have, the highest of each device, type after type while there is room for their labels.
/// Returns the types that found none.
std::vector<DType> choose_roofs(PlotData& data, const PlotOptions& options);
/// Roofs of several devices that would lie on each other as one, with the letters of all of them.
void join_equal(std::vector<PlotRoof>& roofs);

/// Size of the text, and of the smaller one of labels, pt.
double base_font(double width_pt);
inline double small_font(double base_pt) { return 0.82 * base_pt; }

/// Labels slopes, points and regions within the axes at a font size in pt, where they cover nothing. Returns how many
/// of the points with a label found no place.
std::size_t add_inside_labels(PlotData& data, double font_pt);

}  // namespace gable::render
