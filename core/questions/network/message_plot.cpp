#include "core/questions/network/message_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/render/gnuplot.hpp"
#include "core/render/palette.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/message_roofline.hpp"

namespace gable::questions {
namespace {

/// Ends of an axis that hold everything that is drawn.
struct Ends {
  double low{INFINITY}, high{0};
  void hold(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

void set_axes(MessageData& data, const std::vector<MessageRoofline>& rooflines) {
  Ends x, y;
  for (const MessageRoofline& one : rooflines) {
    if (one.peak_byte_per_s) y.hold(*one.peak_byte_per_s);
    for (const auto& series : one.reached) {
      for (const double bytes : series.bytes) x.hold(bytes);
      for (const double rate : series.byte_per_s) y.hold(rate);
    }
  }
  if (x.high <= 0) x = {1, 4 * 1024 * 1024.0};
  x = {x.low / 2, x.high * 4};
  if (y.high <= 0) {  // latencies alone: what a message reaches by them
    for (const MessageRoofline& one : rooflines) {
      for (const double bytes : {x.low, x.high}) y.hold(*one.attainable(bytes, 1));
    }
  }
  data.bytes = {x.low, x.high};
  data.byte_per_s = {y.low / 3, y.high * 3};
}

MessageLine line_of(const MessageRoofline& one, std::string label, unsigned colour) {
  return {.label = std::move(label), .way = one.way, .medium = one.medium, .colour = colour};
}

/// The peak, and the latency as a slope up to it for each number of messages.
void add_roofs(MessageData& data, const MessageRoofline& one, unsigned colour) {
  const render::Range& x = data.bytes;
  if (one.peak_byte_per_s) {
    const double peak = *one.peak_byte_per_s;
    auto line = line_of(one, fmt::format("{}: peak {}", one.label(), format_quantity(peak, "byte/s")), colour);
    line.roof = true;
    line.bytes = {x.low, x.high};
    line.byte_per_s = {peak, peak};
    data.lines.push_back(std::move(line));
  }
  if (!one.latency_s) return;
  std::vector<int> numbers{1};
  for (const auto& series : one.reached) {
    if (series.messages > 1) numbers.push_back(series.messages);
  }
  for (const int messages : numbers) {
    const double meet = one.peak_byte_per_s ? *one.peak_byte_per_s * *one.latency_s / messages : x.high;
    if (meet <= x.low) continue;
    auto line = line_of(one, {}, colour);
    if (messages == 1) line.label = fmt::format("{}: latency {}", one.label(), format_quantity(*one.latency_s, "s"));
    line.roof = true;
    line.messages_before_wait = messages;
    line.bytes = {x.low, std::min(meet, x.high)};
    for (const double bytes : line.bytes) line.byte_per_s.push_back(*one.attainable(bytes, messages));
    data.lines.push_back(std::move(line));
  }
}

void add_reached(MessageData& data, const MessageRoofline& one, unsigned colour) {
  int index = 0;
  for (const auto& series : one.reached) {
    auto line = line_of(
        one, fmt::format("{}: {} message{} a wait", one.label(), series.messages, series.messages == 1 ? "" : "s"),
        colour);
    line.messages_before_wait = series.messages;
    line.series = index++;
    line.bytes = series.bytes;
    line.byte_per_s = series.byte_per_s;
    data.lines.push_back(std::move(line));
  }
}

/// "1 B", "4 KiB", "1 MiB": of a power of two.
std::string size_label(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:g} {}", bytes, units[unit]);
}

class MessageScript {
 public:
  MessageScript(const Result& result, MessageData data, const render::PlotOptions& options)
      : result_(result), drawn_(std::move(data)), options_(options) {}

  std::string write(render::Format format, const std::filesystem::path& output) {
    text_ = gnuplot_head(format, options_.width_in, options_.height_in, font_pt, options_.theme, output);
    axes();
    for (const MessageLine& line : drawn_.lines) add(line);
    return text_ + data_ + "plot " + commands_ + "\nunset output\n";
  }

 private:
  static constexpr double font_pt = 9;

  std::string colour(unsigned rgb) const { return fmt::format("rgb '#{:06x}'", themed(options_.theme, rgb)); }

  void axes() {
    const render::Range &x = drawn_.bytes, &y = drawn_.byte_per_s;
    const std::string title = options_.title.empty() ? result_.devices.front().name : options_.title;
    text_ += fmt::format("set title {} noenhanced textcolor {}\n", for_gnuplot(title), colour(render::ink));
    text_ += fmt::format(
        "set logscale x 2\nset logscale y 10\nset xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n"
        "set border 3 lc {}\nset tics nomirror textcolor {}\nset grid lt 1 lc {} lw 0.5\n"
        "set xlabel 'Message size' textcolor {}\nset ylabel 'Bandwidth in one direction' textcolor {}\n"
        "set key {} Left reverse noenhanced textcolor {}\n",
        x.low, x.high, y.low, y.high, colour(render::pale_ink), colour(render::ink), colour(0xdddddd),
        colour(render::ink), colour(render::ink), place_of_key(), colour(render::ink));
    std::string x_tics, y_tics;
    for (double bytes = std::exp2(std::ceil(std::log2(x.low) / 4) * 4); bytes <= x.high; bytes *= 16)
      x_tics += fmt::format("{}'{}' {:.9g}", x_tics.empty() ? "" : ", ", size_label(bytes), bytes);
    for (double rate = std::pow(10, std::ceil(std::log10(y.low))); rate <= y.high; rate *= 10)
      y_tics += fmt::format("{}'{}' {:.9g}", y_tics.empty() ? "" : ", ", format_quantity(rate, "byte/s"), rate);
    text_ += fmt::format("set xtics ({})\nset ytics ({})\n", x_tics, y_tics);
  }

  /// Beside the axes; below them where a label is so long that it would leave them no room.
  std::string_view place_of_key() const {
    constexpr std::size_t most_beside = 36;
    const auto is_long = [](const MessageLine& line) { return line.label.size() > most_beside; };
    return std::ranges::any_of(drawn_.lines, is_long) ? "below samplen 2 font ',7'" : "outside right top vertical";
  }

  /// A roof is a line, broken for more than one message before a wait; what was reached has marks.
  std::string look_of(const MessageLine& line) const {
    constexpr std::array shapes{7, 5, 9, 11, 13, 6, 4, 8, 10};  // circle, square, triangles, diamond; then open ones
    const bool thin = line.messages_before_wait > 1;
    if (line.roof)
      return fmt::format("lines lw {} dt {} lc {}", thin ? 0.7 : 2, thin ? "(6,4)" : "solid", colour(line.colour));
    return fmt::format("linespoints lw 0.5 pt {} ps 0.8 lc {}",
                       shapes[static_cast<std::size_t>(line.series) % shapes.size()], colour(line.colour));
  }

  void add(const MessageLine& line) {
    const std::string name = fmt::format("$d{}", blocks_++);
    data_ += name + " << END\n";
    for (std::size_t i = 0; i < line.bytes.size(); ++i)
      data_ += fmt::format("{:.9g} {:.9g}\n", line.bytes[i], line.byte_per_s[i]);
    data_ += "END\n";
    commands_ += fmt::format("{}{} using 1:2 with {} title {}", commands_.empty() ? "" : ", \\\n  ", name,
                             look_of(line), for_gnuplot(line.label));
  }

  const Result& result_;
  MessageData drawn_;
  const render::PlotOptions& options_;
  std::string text_, data_, commands_;
  int blocks_{};
};

}  // namespace

MessageData message_data(const Result& result, const std::string& device) {
  auto rooflines = message_rooflines(result, device);
  constexpr std::size_t most_in_full = 2;
  if (rooflines.size() > most_in_full) {
    for (MessageRoofline& one : rooflines) {
      std::erase_if(one.reached, [](const MessageSeries& series) {
        return series.messages != 1 && series.messages != message_window;
      });
    }
  }
  std::erase_if(rooflines, [](const MessageRoofline& one) {
    return !one.latency_s && !one.peak_byte_per_s && one.reached.empty();
  });
  MessageData data;
  if (rooflines.empty()) return data;
  set_axes(data, rooflines);
  for (std::size_t i = 0; i < rooflines.size(); ++i) {
    add_roofs(data, rooflines[i], render::device_colour(i));
    add_reached(data, rooflines[i], render::device_colour(i));
  }
  return data;
}

bool is_of_networks(const Result& result) {
  const auto is_network = [&](const DeviceInfo& device) { return !message_rooflines(result, device.id).empty(); };
  return !result.devices.empty() && std::ranges::all_of(result.devices, is_network);
}

std::string message_script(const Result& result, const render::PlotOptions& options, render::Format format,
                           const std::filesystem::path& output) {
  if (result.devices.size() > 1)
    throw Error("a picture shows the messages of one network, and these are several: name fewer files");
  auto data = result.devices.empty() ? MessageData() : message_data(result, result.devices.front().id);
  if (data.lines.empty()) throw Error("nothing to draw: the result has no messages between two ranks");
  return MessageScript(result, std::move(data), options).write(format, output);
}

}  // namespace gable::questions
