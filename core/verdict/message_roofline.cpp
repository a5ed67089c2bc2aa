#include "core/verdict/message_roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "core/verdict/measured_all_reduce.hpp"

namespace gable {
namespace {

/// Rates by messages and size.
using Reached = std::map<int, std::map<double, double>>;

const Curve* good_curve(const Result& result, const std::string& device, std::string_view name,
                        const std::string& series) {
  const auto found = std::ranges::find_if(result.curves, [&](const Curve& curve) {
    return curve.device == device && curve.name == name && curve.series == series && curve.status == Status::ok &&
           curve.x.size() == curve.y.size();
  });
  return found == result.curves.end() ? nullptr : &*found;
}

/// What no picture and no ratio can take is left out.
void add(Reached& reached, double messages, double bytes, double byte_per_s) {
  constexpr double most_messages = 1e6;
  const bool fits = messages >= 1 && messages <= most_messages && bytes > 0 && std::isfinite(bytes) && byte_per_s > 0 &&
                    std::isfinite(byte_per_s);
  if (fits) reached[static_cast<int>(messages)][bytes] = byte_per_s;
}

Reached reached_on(const Result& result, const MessageRoofline& of) {
  const std::string& device = of.device;
  const std::string way = message_series_name(of.way, of.medium);
  Reached reached;
  for (const std::int64_t bytes : window_sizes) {
    const Curve* curve = good_curve(result, device, window_curves, window_series(way, bytes));
    for (std::size_t i = 0; curve && i < curve->x.size(); ++i)
      add(reached, curve->x[i], static_cast<double>(bytes), curve->y[i]);
  }
  // One message a wait is half a round trip: with an answer to each, as the curves above have it, it would be a whole.
  reached.erase(1);
  if (const Curve* curve = good_curve(result, device, message_latency, way)) {
    for (std::size_t i = 0; i < curve->x.size(); ++i) add(reached, 1, curve->x[i], curve->x[i] / curve->y[i]);
  }
  if (const Curve* curve = good_curve(result, device, message_sizes, sizes_series(way, one_direction))) {
    for (std::size_t i = 0; i < curve->x.size(); ++i) add(reached, message_window, curve->x[i], curve->y[i]);
  }
  return reached;
}

/// The shortest time of small messages and the highest rate in one direction among good rows.
void add_roofs(MessageRoofline& roofline, const Result& result) {
  for (const Ceiling& row : result.ceilings) {
    const bool fits = row.kind == CeilingKind::link && row.device == roofline.device &&
                      row.name == message_row_name(roofline.way, roofline.medium) &&
                      medium_of(row) == roofline.medium && row.status == Status::ok && row.value.value > 0;
    if (!fits) continue;
    if (row.unit == "s")
      roofline.latency_s = std::min(roofline.latency_s.value_or(INFINITY), row.value.value);
    else if (row.unit == "byte/s" && row.variant.starts_with(one_direction))
      roofline.peak_byte_per_s = std::max(roofline.peak_byte_per_s.value_or(0), row.value.value);
  }
}

std::optional<MessageLink> link_of(const MessageRoofline& roofline) {
  if (!roofline.latency_s || !roofline.peak_byte_per_s) return {};
  return MessageLink{roofline.way, roofline.medium, *roofline.latency_s, *roofline.peak_byte_per_s};
}

}  // namespace

std::string sizes_series(std::string_view way, std::string_view exchange) {
  return fmt::format("{}, {}", way, exchange);
}

std::string window_series(std::string_view way, std::int64_t bytes) { return fmt::format("{}, {} bytes", way, bytes); }

std::string MessageRoofline::label() const {
  return medium == MessageMedium::host ? way : fmt::format("{}, {}", way, medium_words(medium));
}

std::optional<double> MessageRoofline::attainable(double bytes, int messages) const {
  std::optional<double> least = peak_byte_per_s;
  if (latency_s) least = std::min(least.value_or(INFINITY), messages * bytes / *latency_s);
  return least;
}

std::optional<double> MessageRoofline::bytes_under_way() const {
  if (!latency_s || !peak_byte_per_s) return {};
  return *latency_s * *peak_byte_per_s;
}

std::vector<MessageRoofline> message_rooflines(const Result& result, const std::string& device) {
  std::vector<MessageRoofline> all;
  for (const MessageMedium medium : message_media) {
    for (const std::string_view way : message_ways) {
      MessageRoofline roofline;
      roofline.device = device;
      roofline.way = way;
      roofline.medium = medium;
      add_roofs(roofline, result);
      for (const auto& [messages, rates] : reached_on(result, roofline)) {
        MessageSeries series{messages, {}, {}};
        for (const auto& [bytes, rate] : rates) {
          series.bytes.push_back(bytes);
          series.byte_per_s.push_back(rate);
        }
        roofline.reached.push_back(std::move(series));
      }
      if (roofline.latency_s || roofline.peak_byte_per_s || !roofline.reached.empty())
        all.push_back(std::move(roofline));
    }
  }
  return all;
}

std::vector<JudgedCollective> judged_collectives(const Result& result, const std::string& device) {
  const std::string_view way = widest_way(result, device);
  std::vector<JudgedCollective> judged;
  for (const MessageRoofline& link : message_rooflines(result, device)) {
    if (link.way != way || !link.peak_byte_per_s) continue;
    for (const Ceiling& row : result.ceilings) {
      const bool fits = row.kind == CeilingKind::link && row.device == device && row.status == Status::ok &&
                        row.value.value > 0 && row.variant.starts_with(bus_bandwidth) && medium_of(row) == link.medium;
      if (!fits) continue;
      const double fraction = row.value.value / *link.peak_byte_per_s;
      judged.push_back({row.name, row.variant, link.medium, row.value.value, link.way, fraction});
    }
  }
  return judged;
}

double MessageLink::ring_all_reduce_s(double bytes, double ranks) const {
  return 2 * (ranks - 1) * (latency_s + bytes / ranks / peak_byte_per_s);
}

std::optional<MessageLink> message_link(const Result& result, const std::string& device, std::string_view way,
                                        MessageMedia media) {
  const auto rooflines = message_rooflines(result, device);
  for (const MessageMedium medium : media) {
    for (const MessageRoofline& one : rooflines) {
      if (one.way != way || one.medium != medium) continue;
      if (auto link = link_of(one)) return link;
    }
  }
  return {};
}

std::string_view widest_way(const Result& result, const std::string& device) {
  const auto is_between = [&](const Ceiling& row) {
    return row.kind == CeilingKind::link && row.device == device &&
           row.name == message_row_name(message_ways[1], medium_of(row));
  };
  const bool several = nodes_of(result, device) > 1 || std::ranges::any_of(result.ceilings, is_between);
  return message_ways[several ? 1 : 0];
}

std::optional<MessageLink> widest_message_link(const Result& result, const std::string& device, MessageMedia media) {
  return message_link(result, device, widest_way(result, device), media);
}

}  // namespace gable
