#include "core/render/plot_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace gable::render {
namespace {

constexpr double widest_decades = 10;
constexpr double largest_figure = 1e300;  ///< of a figure on an axis, so that room around it is still a number

void include(Range& range, double low, double high) {
  range.low = std::min(largest_figure, range.low > 0 ? std::min(range.low, low) : low);
  range.high = std::min(largest_figure, std::max(range.high, high));
}

/// Room around everything that is shown, limited so that one distant figure does not make the rest unreadable.
void set_ranges(PlotData& data) {
  for (const PlotPoint& point : data.points) {
    include(data.x, point.intensity / 2.5, point.intensity * 2.5);
    for (const PlotLevel& level : point.levels) include(data.x, level.intensity / 2.5, level.intensity * 2.5);
    include(data.y, point.flop_per_s / 2.5, std::max(point.flop_per_s, point.limit.value_or(0)) * 2.5);
    if (point.of_calls.low > 0) include(data.y, point.of_calls.low / 1.2, point.of_calls.high * 1.2);
  }
  for (const PlotRidge& ridge : data.ridges) include(data.x, ridge.intensity / 12, ridge.intensity * 8);
  double peak = 0;
  for (const PlotRoof& roof : data.roofs) {
    if (!roof.flat) continue;
    peak = std::max(peak, roof.rate);
    include(data.y, roof.rate / 12, roof.rate * 2.2);
  }
  for (const PlotRoof& roof : data.roofs) {
    if (roof.flat || (roof.bandwidth && roof.bandwidth->access == Access::random)) continue;
    if (peak > 0) include(data.x, peak / roof.rate / 4, peak / roof.rate * 4);
    if (data.x.high <= 0) data.x = {0.01, 100};
    if (peak <= 0) include(data.y, roof.rate * data.x.low, roof.rate * data.x.high);
  }
  if (data.x.high <= 0) data.x = {0.01, 100};
  if (data.y.high <= 0) data.y = {1e6, 1e12};
  data.x.low = std::max(data.x.low, data.x.high * std::pow(10, -widest_decades));
  data.y.low = std::max(data.y.low, data.y.high * std::pow(10, -widest_decades));
}

/// The unit in which the middle of the axis reads 1 to 1000.
void set_unit(PlotData& data) {
  const double middle = std::sqrt(data.y.low) * std::sqrt(data.y.high);
  constexpr std::array<std::pair<double, const char*>, 6> units{
      {{1e18, "EFLOP/s"}, {1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1, "FLOP/s"}}};
  const auto unit = std::ranges::find_if(units, [&](const auto& one) { return middle >= one.first; });
  const auto& [factor, name] = unit == units.end() ? units.back() : *unit;
  data.y_scale = factor;
  data.x_title = "Arithmetic intensity (FLOP/byte)";
  data.y_title = fmt::format("Performance ({})", name);
}

/// How many of 1, 2, … 9 times a power of ten have a label: as many as stand apart on an axis of this many decades.
bool has_label(int multiple, double decades) {
  if (decades <= 1) return multiple <= 3 || multiple == 5 || multiple == 7;
  return multiple == 1 || (decades <= 2.5 && (multiple == 2 || multiple == 5));
}

/// From the decade below to the decade above.
Range whole_decades(double low, double high) {
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  return {std::pow(10, std::max(first, last - widest_decades)), std::pow(10, last)};
}

}  // namespace

Frame machine_frame(const PlotData& data) {
  /// Of one device; the ridge of one device's peak with another one's memory is none.
  struct Ends {
    Range peak, slope;
  };
  std::map<std::string, Ends> devices;
  for (const PlotRoof& roof : data.roofs) {
    Ends& ends = devices[roof.device];
    include(roof.flat ? ends.peak : ends.slope, roof.rate, roof.rate);
  }
  Range x, y;
  for (const auto& [device, ends] : devices) {
    const bool peak = ends.peak.high > 0, slope = ends.slope.high > 0;
    if (peak && slope) include(x, ends.peak.low / ends.slope.high / 2, ends.peak.high / ends.slope.low * 20);
    if (peak) include(y, ends.peak.low / 100, ends.peak.high * 1.5);
    if (slope && !peak) include(y, ends.slope.low * 0.1, ends.slope.high * 10);
  }
  include(x, 0.05, 50);
  if (y.high <= 0) y = {1e6, 1e12};
  return {whole_decades(x.low, x.high), whole_decades(y.low, y.high)};
}

std::vector<Tick> ticks(const Range& range) {
  const double decades = std::log10(range.high / range.low);
  std::vector<Tick> list;
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::floor(std::log10(range.high)));
  for (int power = first; power <= last; ++power) {
    for (int multiple = 1; multiple <= 9; ++multiple) {
      const double value = multiple * std::pow(10, power);
      if (value >= range.low && value <= range.high) list.push_back({value, multiple, has_label(multiple, decades)});
    }
  }
  return list;
}

void set_axes(PlotData& data) {
  set_ranges(data);
  set_unit(data);
}

}  // namespace gable::render
