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
  double width_in{8}, height_in{5.5};         ///< inch; png at 150 dots per inch
  std::vector<DType> dtypes;                  ///< compute roofs and points to show; empty: all
  std::optional<Scope> scope;                 ///< empty: the widest the result holds
  Theme theme{Theme::light};                  ///< of a picture
  std::string title;                          ///< empty: device names
  std::vector<catalogue::Device> datasheets;  ///< drawn behind the measured devices, whatever the scope
};

enum class LineStyle { solid, dashed, dotted, dash_dot };

/// What the operating points of a compute roof have in common, as it is written beside them.
struct RoofName {
  std::string device;        ///< its letter and a space, empty where one device is shown
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
  std::string level;    ///< of a slope, with the device's letter: "DRAM", "A DRAM"
  bool non_temporal{};  ///< a slope of stores past the caches
  RoofName group;       ///< flat: the operating points of a group share a label
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
  std::string device, label;  ///< "A gemm fp32 92 %"
  std::string detail;         ///< label with implementation and parameters, for the key
  double intensity{}, flop_per_s{};
  std::optional<double> limit;  ///< flop/s this point could reach
  /// flop/s of the longest and the shortest of the calls that it is the mean of, if each did the same; 0: unknown
  Range of_calls{};
  DType dtype{};
  unsigned colour{};
  double lost_s{};                  ///< time above its bound, without one all of it, of all its runs, s
  bool labelled{true};              ///< others are markers only
  int number{};                     ///< 0: labelled in place
  std::size_t row{};                ///< index among the points of the result
  std::vector<PlotLevel> levels{};  ///< of a profiler that counted the bytes of inner levels
};

/// A device that is shown.
struct PlotDevice {
  std::string id, name, title;
  std::string letter;          ///< "A"; empty where one device is shown
  std::optional<Scope> scope;  ///< none of a datasheet
  unsigned colour{};
  std::vector<Level> levels;         ///< innermost first
  std::optional<Overhead> overhead;  ///< of a launch
};

struct PlotTitle {
  std::string text;
  std::string device{};  ///< that it names, in whose colour it is; empty for the user's
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
  std::optional<DType> dtype;  ///< none: a ridge
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
  std::vector<PlotTitle> titles;  ///< the user's, if any; then one per device unless there is but one
  bool several_devices{};         ///< colours tell devices apart, not types
  std::string subtitle;
  std::vector<PlotText> texts;
  std::vector<PlotStroke> leaders;  ///< from moved texts to what they name, and legend samples
  std::vector<PlotMarker> markers;  ///< of the legend
  /// flop/byte, for every type and device shown; absent where a device has no roof of its main memory.
  std::optional<double> memory_bound_until, compute_bound_from;

  Position position(double intensity, double flop_per_s) const;
};

/// Roofs, ridges and points that options ask for, with axes around them; nothing is laid out yet. Rows that are not ok,
/// and points without flops or bytes, are left out. Throws Error when nothing is left, and for more devices than can be
/// told apart.
PlotData collect(const Result& result, const PlotOptions& options);
/// The same, but there may be nothing to show.
PlotData collect_any(const Result& result, const PlotOptions& options);
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

  /// Name and highest rate.
  std::string first_line() const;
  /// The other operating points; empty if there is but one.
  std::string second_line() const;
};

std::vector<RoofGroup> roof_groups(const PlotData& data);

/// Those of one device and unit whose lines lie on each other as one: "A fp32/fp16 vector". Groups of several operating
/// points stay as they are.
std::vector<RoofGroup> merged(const std::vector<RoofGroup>& groups);

/// Leaves `most` points their labels: those that lose most time.
void choose_labelled(std::vector<PlotPoint>& points, std::size_t most);

/// Labels slopes, points and regions within the axes at a font size in pt, where they cover nothing. Returns how many
/// of the points with a label found no place.
std::size_t add_inside_labels(PlotData& data, double font_pt);

}  // namespace gable::render
