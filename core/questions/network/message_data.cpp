#include "core/questions/network/message_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/model/units.hpp"
#include "core/render/palette.hpp"

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
  MessageLine line;
  line.label = std::move(label);
  line.way = one.way;
  line.medium = one.medium;
  line.colour = colour;
  return line;
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

}  // namespace gable::questions
