#include "core/render/gnuplot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "core/render/palette.hpp"
#include "core/render/plot_data.hpp"
#include "core/text/safe_text.hpp"

namespace gable::render {
namespace {

/// A piece of a broken line and the gap behind it, in pt.
struct Dash {
  double on, off;
};

/// How a style of lines is drawn: by gnuplot's dashtype, and piece by piece; an unbroken line has no pieces.
struct Pattern {
  const char* dashtype;
  std::vector<Dash> pieces;
};

Pattern pattern_of(LineStyle style) {
  switch (style) {
    case LineStyle::dashed:
      return {"(9,5)", {{4, 2}}};
    case LineStyle::dotted:
      return {"(2,3)", {{1.2, 1.6}}};
    case LineStyle::dash_dot:
      return {"(9,4,2,4)", {{5, 1.6}, {1.2, 1.6}}};
    case LineStyle::solid:
      break;
  }
  return {"solid", {}};
}

/// Of the driver; 96 units of svg are an inch.
double dots_per_inch(Format format) { return format == Format::png ? 150 : 96; }

class Script {
 public:
  explicit Script(const PlotData& data) : data_(data) {}

  std::string write(Format format, const std::filesystem::path& output) {
    marker_scale_ = format == Format::pdf ? 1.3 : dots_per_inch(format) / 72;
    weights_ = format != Format::svg;  // its driver knows no weights of fonts
    text_ = gnuplot_head(format, data_.width_pt / 72, data_.height_pt / 72, data_.font_pt, data_.theme, output);
    axes();
    regions();
    for (const PlotStroke& stroke : data_.leaders) leader(stroke);
    for (const PlotText& label : data_.texts) add_text(label);
    for (const PlotMarker& marker : data_.markers) legend_marker(marker);
    plots();
    return text_ + "unset output\n";
  }

 private:
  std::string colour(unsigned rgb) const { return fmt::format("rgb '#{:06x}'", themed(data_.theme, rgb)); }
  double screen_x(double x) const { return x / data_.width_pt; }
  double screen_y(double y) const { return y / data_.height_pt; }
  std::string screen(Position at) const {
    return fmt::format("screen {:.5f},screen {:.5f}", screen_x(at.x), screen_y(at.y));
  }

  void axis(char name, const Range& range) {
    const bool plain = range.low >= 1e-3 && range.high <= 2e4;
    std::string tics;
    for (const Tick& tick : ticks(range)) {
      const char* label = !tick.labelled ? "" : plain ? "%g" : tick.multiple == 1 ? "10^{%T}" : "%.0t×10^{%T}";
      tics += fmt::format("{}'{}' {:.9g} {}", tics.empty() ? "" : ", ", label, tick.value, tick.labelled ? 0 : 1);
    }
    text_ += fmt::format("set logscale {0} 10\nset {0}range [{1:.9g}:{2:.9g}]\nset {0}tics ({3})\n", name, range.low,
                         range.high, tics);
  }

  void axes() {
    const Box& area = data_.area;
    text_ += fmt::format(
        "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
        "set tmargin at screen {:.5f}\n",
        screen_x(area.left), screen_x(area.right), screen_y(area.bottom), screen_y(area.top));
    axis('x', data_.x);
    axis('y', {data_.y.low / data_.y_scale, data_.y.high / data_.y_scale});
    text_ += fmt::format(
        "unset key\nset border 3 lc {} lw 0.7\nset tics nomirror out scale 0.6,0.3 textcolor {}\n"
        "set grid xtics ytics mxtics mytics back lt 1 lc {} lw 0.5, lt 1 lc {} lw 0.4\n",
        colour(pale_ink), colour(ink), colour(0xdddddd), colour(0xf1f1f1));
  }

  void region(double from, double to, unsigned rgb) {
    const double left = data_.position(from, data_.y.low).x, right = data_.position(to, data_.y.low).x;
    const Box& area = data_.area;
    text_ += fmt::format("set object rectangle from {} to {} behind fc {} fs solid noborder\n",
                         screen({left, area.bottom}), screen({right, area.top}), colour(rgb));
  }

  void regions() {
    if (data_.memory_bound_until) region(data_.x.low, *data_.memory_bound_until, 0xf6f9fc);
    if (data_.compute_bound_from) region(*data_.compute_bound_from, data_.x.high, 0xfcf8f4);
  }

  /// Dashes are drawn one by one: the svg driver has none for arrows.
  void leader(const PlotStroke& stroke) {
    const auto [from, to] = stroke.path;
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    auto pattern = pattern_of(stroke.style).pieces;
    if (pattern.empty()) pattern = {{length, 1}};
    double at = 0;
    for (std::size_t i = 0; at < length; at += pattern[i].on + pattern[i].off, i = (i + 1) % pattern.size()) {
      const double begin = at / length, end = std::min(1.0, (at + pattern[i].on) / length);
      text_ += fmt::format("set arrow from {} to {} nohead front lw {} lc {}\n",
                           screen({std::lerp(from.x, to.x, begin), std::lerp(from.y, to.y, begin)}),
                           screen({std::lerp(from.x, to.x, end), std::lerp(from.y, to.y, end)}), stroke.width,
                           colour(stroke.colour));
    }
  }

  void add_text(const PlotText& label) {
    if (label.backed) {
      for (const Box& box : label.boxes) {
        text_ += fmt::format("set object rectangle from {} to {} front fc rgb '#40{:06x}' fs solid noborder\n",
                             screen({box.left - 0.5, box.bottom}), screen({box.right + 0.5, box.top}),
                             themed(data_.theme, paper));
      }
    }
    const double height = line_height(label.font_pt) * 0.5;
    const Position middle{label.at.x - height * std::sin(label.angle), label.at.y + height * std::cos(label.angle)};
    text_ +=
        fmt::format("set label {} at {} left rotate by {:.3f} front noenhanced font '{},{:.2f}' textcolor {}\n",
                    for_gnuplot(label.text), screen(middle), label.angle * 180 / std::numbers::pi,
                    label.bold && weights_ ? "sans-serif:Bold" : "sans-serif", label.font_pt, colour(label.colour));
  }

  double point_size() const { return marker_scale_ * data_.font_pt / 13; }

  static int shape(std::optional<int> number) {
    constexpr int filled[marker_shapes] = {7, 5, 9, 11, 13, 15};
    return number ? filled[*number] : 12;
  }

  void legend_marker(const PlotMarker& marker) {
    text_ += fmt::format("set label '' at {} front point pt {} ps {:.3f} lc {}\n", screen(marker.at),
                         shape(marker.shape), point_size(), colour(marker.colour));
  }

  void add_plot(const std::string& rows, const std::string& how, const std::string& title) {
    const std::string name = fmt::format("$d{}", blocks_++);
    data_blocks_ += fmt::format("{} << END\n{}END\n", name, rows);
    commands_ +=
        fmt::format("{}{} {} title {} noenhanced", commands_.empty() ? "" : ", \\\n  ", name, how, for_gnuplot(title));
  }

  std::string row(double intensity, double rate) const {
    return fmt::format("{:.9g} {:.9g}", intensity, rate / data_.y_scale);
  }

  void band(const PlotRoof& roof) {
    if (!(roof.high > roof.low)) return;
    std::string rows;
    for (const double x : {roof.from, roof.to}) {
      const double unit = roof.flat ? 1 : x;
      rows +=
          fmt::format("{:.9g} {:.9g} {:.9g}\n", x, roof.low * unit / data_.y_scale, roof.high * unit / data_.y_scale);
    }
    add_plot(rows,
             fmt::format("using 1:2:3 with filledcurves fs transparent solid 0.22 noborder fc {}", colour(roof.colour)),
             "interval: " + roof.label);
  }

  void line(const PlotRoof& roof) {
    const std::string rows =
        row(roof.from, roof.at_intensity(roof.from)) + '\n' + row(roof.to, roof.at_intensity(roof.to)) + '\n';
    add_plot(rows,
             fmt::format("using 1:2 with lines lw {} dt {} lc {}", roof.width, pattern_of(roof.style).dashtype,
                         colour(roof.colour)),
             "roof: " + roof.label);
  }

  void ridge(const PlotRidge& ridge) {
    add_plot(row(ridge.low, ridge.flop_per_s) + '\n' + row(ridge.high, ridge.flop_per_s) + '\n',
             fmt::format("using 1:2 with lines lw 2.4 lc {}", colour(ridge.colour)), "ridge interval: " + ridge.label);
    const std::string at = row(ridge.intensity, ridge.flop_per_s) + '\n';
    add_plot(at, fmt::format("using 1:2 with points pt 13 ps {:.3f} lc {}", point_size() * 0.9, colour(paper)), "");
    add_plot(at, fmt::format("using 1:2 with points pt 12 ps {:.3f} lc {}", point_size() * 0.9, colour(ridge.colour)),
             "ridge: " + ridge.label);
  }

  /// The intensities by the bytes of each level, joined by a line: how far each cache filters what the next one moves.
  void levels(const PlotPoint& point) {
    if (point.levels.empty()) return;
    std::string rows = row(point.intensity, point.flop_per_s) + '\n';
    for (const PlotLevel& level : point.levels) {
      const std::string at = row(level.intensity, point.flop_per_s) + '\n';
      rows += at;
      add_plot(at, fmt::format("using 1:2 with points pt 6 ps {:.3f} lc {}", 0.6 * point_size(), colour(point.colour)),
               fmt::format("bytes of {}: {}", level.level, point.label));
      text_ += fmt::format(
          "set label {} at first {:.9g},{:.9g} center offset 0,-0.7 front font ',{:.2f}' tc {} noenhanced\n",
          for_gnuplot(level.level), level.intensity, point.flop_per_s / data_.y_scale, 0.8 * data_.font_pt,
          colour(point.colour));
    }
    add_plot(rows, fmt::format("using 1:2 with lines lw 0.8 lc {}", colour(point.colour)), "");
  }

  void point(const PlotPoint& point) {
    levels(point);
    if (point.of_calls.low > 0)
      add_plot(row(point.intensity, point.of_calls.low) + '\n' + row(point.intensity, point.of_calls.high) + '\n',
               fmt::format("using 1:2 with lines lw 1.6 lc {}", colour(point.colour)), "its calls: " + point.label);
    const std::string at = row(point.intensity, point.flop_per_s) + '\n';
    if (point.limit) {
      add_plot(at + row(point.intensity, *point.limit) + '\n',
               fmt::format("using 1:2 with lines lw 0.6 dt (2,3) lc {}", colour(point.colour)),
               "to its limit: " + point.label);
      add_plot(
          row(point.intensity, *point.limit) + '\n',
          fmt::format("using 1:2 with points pt 2 ps {:.3f} lw 0.6 lc {}", point_size() * 0.45, colour(point.colour)),
          "");
    }
    add_plot(at,
             fmt::format("using 1:2 with points pt {} ps {:.3f} lc {}", shape(point.shape), point_size() * 1.35,
                         colour(paper)),
             "");
    add_plot(at,
             fmt::format("using 1:2 with points pt {} ps {:.3f} lc {}", shape(point.shape), point_size(),
                         colour(point.colour)),
             "point: " + point.detail);
  }

  /// Points without a label, those of one shape and colour as one: thousands of them stay fast and small.
  void other_points() {
    std::map<std::pair<int, unsigned>, std::string> rows;
    for (const PlotPoint& one : data_.points) {
      if (!one.labelled) rows[{shape(one.shape), one.colour}] += row(one.intensity, one.flop_per_s) + '\n';
    }
    for (const auto& [kind, text] : rows) {
      add_plot(text,
               fmt::format("using 1:2 with points pt {} ps {:.3f} lc {}", kind.first, 0.5 * point_size(),
                           colour(kind.second)),
               "points without a label");
    }
  }

  void plots() {
    for (const PlotRoof& roof : data_.roofs) band(roof);
    for (const PlotRoof& roof : data_.roofs) line(roof);
    for (const PlotRidge& one : data_.ridges) ridge(one);
    other_points();
    for (const PlotPoint& one : data_.points) {
      if (one.labelled) point(one);
    }
    text_ += data_blocks_ + "plot " + commands_ + '\n';
  }

  const PlotData& data_;
  std::string text_, data_blocks_, commands_;
  double marker_scale_{1};
  bool weights_{true};
  int blocks_{};
};

}  // namespace

std::string gnuplot_head(Format format, double width_in, double height_in, double font_pt, Theme theme,
                         const std::filesystem::path& output) {
  const auto font = fmt::format("font 'sans-serif,{:.2f}'", font_pt);
  const auto rest = fmt::format("background rgb '#{:06x}'\nset encoding utf8\nset output {}\n", themed(theme, paper),
                                for_gnuplot(output.string()));
  if (format == Format::pdf)
    return fmt::format("set terminal pdfcairo size {:.4f}in,{:.4f}in {} fontscale 0.75 linewidth 2 {}", width_in,
                       height_in, font, rest);
  // png: text comes at 96 dots per inch, lines and markers at 72; svg: everything at 72
  const double dots = dots_per_inch(format), text = format == Format::png ? dots / 96 : dots / 72;
  return fmt::format("set terminal {} size {:.0f},{:.0f} {} fontscale {:.4f} linewidth {:.4f} {}",
                     format == Format::png ? "pngcairo" : "svg", width_in * dots, height_in * dots, font, text,
                     dots / 72, rest);
}

std::string gnuplot_script(const PlotData& data, Format format, const std::filesystem::path& output) {
  return Script(data).write(format, output);
}

}  // namespace gable::render
