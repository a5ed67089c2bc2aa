#include "core/report/message_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/analysis/message_roofline.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/report/gnuplot.hpp"
#include "core/report/palette.hpp"
#include "core/text/safe_text.hpp"

namespace gable::report {
namespace {

using analysis::MessageRoofline;

/// Ends of an axis that hold everything that is drawn.
struct Ends {
  double low{INFINITY}, high{0};
  void hold(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// "1 B", "4 KiB", "1 MiB": of a power of two.
std::string size_label(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:g} {}", bytes, units[unit]);
}

std::string messages_label(int messages) { return fmt::format("{} message{}", messages, messages == 1 ? "" : "s"); }

class MessageScript {
 public:
  MessageScript(const Result& result, std::vector<MessageRoofline> rooflines, const PlotOptions& options)
      : result_(result), rooflines_(std::move(rooflines)), options_(options) {
    for (const MessageRoofline& one : rooflines_) {
      if (one.peak_byte_per_s) y_.hold(*one.peak_byte_per_s);
      for (const auto& series : one.reached) {
        for (const double bytes : series.bytes) x_.hold(bytes);
        for (const double rate : series.byte_per_s) y_.hold(rate);
      }
    }
    if (x_.high <= 0) x_ = {1, 4 * 1024 * 1024.0};
    x_ = {x_.low / 2, x_.high * 4};
    if (y_.high <= 0) {  // latencies alone: what a message reaches by them
      for (const MessageRoofline& one : rooflines_) {
        for (const double bytes : {x_.low, x_.high}) y_.hold(*one.attainable(bytes, 1));
      }
    }
    y_ = {y_.low / 3, y_.high * 3};
  }

  std::string write(Format format, const std::filesystem::path& output) {
    text_ = gnuplot_terminal(format, options_.width_in, options_.height_in, font_pt, options_.theme);
    text_ += fmt::format("set encoding utf8\nset output {}\n", for_gnuplot(output.string()));
    axes();
    for (std::size_t i = 0; i < rooflines_.size(); ++i) {
      roofs(rooflines_[i], device_colour(i));
      reached(rooflines_[i], device_colour(i));
    }
    return text_ + data_ + "plot " + commands_ + "\nunset output\n";
  }

 private:
  static constexpr double font_pt = 9;

  std::string colour(unsigned rgb) const { return fmt::format("rgb '#{:06x}'", themed(options_.theme, rgb)); }

  void axes() {
    const std::string title = options_.title.empty() ? result_.devices.front().name : options_.title;
    text_ += fmt::format("set title {} noenhanced textcolor {}\n", for_gnuplot(title), colour(ink));
    text_ += fmt::format(
        "set logscale x 2\nset logscale y 10\nset xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n"
        "set border 3 lc {}\nset tics nomirror textcolor {}\nset grid lt 1 lc {} lw 0.5\n"
        "set xlabel 'Message size' textcolor {}\nset ylabel 'Bandwidth in one direction' textcolor {}\n"
        "set key outside right top vertical Left reverse noenhanced textcolor {}\n",
        x_.low, x_.high, y_.low, y_.high, colour(pale_ink), colour(ink), colour(0xdddddd), colour(ink), colour(ink),
        colour(ink));
    std::string x_tics, y_tics;
    for (double bytes = std::exp2(std::ceil(std::log2(x_.low) / 4) * 4); bytes <= x_.high; bytes *= 16)
      x_tics += fmt::format("{}'{}' {:.9g}", x_tics.empty() ? "" : ", ", size_label(bytes), bytes);
    for (double rate = std::pow(10, std::ceil(std::log10(y_.low))); rate <= y_.high; rate *= 10)
      y_tics += fmt::format("{}'{}' {:.9g}", y_tics.empty() ? "" : ", ", format_quantity(rate, "byte/s"), rate);
    text_ += fmt::format("set xtics ({})\nset ytics ({})\n", x_tics, y_tics);
  }

  void add(const std::vector<std::pair<double, double>>& rows, const std::string& how, const std::string& title) {
    const std::string name = fmt::format("$d{}", blocks_++);
    data_ += name + " << END\n";
    for (const auto& [x, y] : rows) data_ += fmt::format("{:.9g} {:.9g}\n", x, y);
    data_ += "END\n";
    commands_ += fmt::format("{}{} using 1:2 with {} title {}", commands_.empty() ? "" : ", \\\n  ", name, how,
                             for_gnuplot(title));
  }

  /// The latency as a slope for each number of messages, up to the peak.
  void roofs(const MessageRoofline& one, unsigned rgb) {
    if (one.peak_byte_per_s)
      add({{x_.low, *one.peak_byte_per_s}, {x_.high, *one.peak_byte_per_s}},
          fmt::format("lines lw 2 lc {}", colour(rgb)),
          fmt::format("{}: peak {}", one.way, format_quantity(*one.peak_byte_per_s, "byte/s")));
    if (!one.latency_s) return;
    std::vector<int> numbers{1};
    for (const auto& series : one.reached) {
      if (series.messages > 1) numbers.push_back(series.messages);
    }
    for (const int messages : numbers) {
      const double end = one.peak_byte_per_s ? *one.peak_byte_per_s * *one.latency_s / messages : x_.high;
      if (end <= x_.low) continue;
      add({{x_.low, *one.attainable(x_.low, messages)},
           {std::min(end, x_.high), *one.attainable(std::min(end, x_.high), messages)}},
          fmt::format("lines lw {} dt {} lc {}", messages == 1 ? 2 : 0.7, messages == 1 ? "solid" : "(6,4)",
                      colour(rgb)),
          messages == 1 ? fmt::format("{}: latency {}", one.way, format_quantity(*one.latency_s, "s")) : "");
    }
  }

  void reached(const MessageRoofline& one, unsigned rgb) {
    constexpr std::array shapes{7, 5, 9, 11, 13, 6, 4, 8, 10};  // circle, square, triangles, diamond; then open ones
    for (std::size_t i = 0; i < one.reached.size(); ++i) {
      const auto& series = one.reached[i];
      std::vector<std::pair<double, double>> rows;
      for (std::size_t k = 0; k < series.bytes.size(); ++k) rows.emplace_back(series.bytes[k], series.byte_per_s[k]);
      add(rows, fmt::format("linespoints lw 0.5 pt {} ps 0.8 lc {}", shapes[i % shapes.size()], colour(rgb)),
          fmt::format("{}: {} a wait", one.way, messages_label(series.messages)));
    }
  }

  const Result& result_;
  std::vector<MessageRoofline> rooflines_;
  const PlotOptions& options_;
  Ends x_, y_;
  std::string text_, data_, commands_;
  int blocks_{};
};

}  // namespace

bool is_of_networks(const Result& result) {
  const auto rooflines = analysis::message_rooflines(result);
  const auto is_network = [&](const DeviceInfo& device) {
    return std::ranges::any_of(rooflines, [&](const MessageRoofline& one) { return one.device == device.id; });
  };
  return !result.devices.empty() && std::ranges::all_of(result.devices, is_network);
}

std::string message_script(const Result& result, const PlotOptions& options, Format format,
                           const std::filesystem::path& output) {
  if (result.devices.size() > 1)
    throw Error("a picture shows the messages of one network, and these are several: name fewer files");
  auto rooflines = analysis::message_rooflines(result);
  if (rooflines.empty()) throw Error("nothing to draw: the result has no messages between two ranks");
  return MessageScript(result, std::move(rooflines), options).write(format, output);
}

}  // namespace gable::report
