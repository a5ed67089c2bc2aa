#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/result.hpp"
#include "core/verdict/message_medium.hpp"

namespace gable {

/// Names of what a network's result says of messages between two ranks (docs/network.md). Rows are named after the way
/// that messages take; a curve's series begins with it.
inline constexpr std::array<std::string_view, 2> message_ways{"inside_node", "between_nodes"};
inline constexpr std::string_view one_direction = "one_direction", message_sizes = "message_sizes",
                                  message_latency = "message_latency", window_curves = "messages_per_synchronisation";
/// Messages before the sender waits in the curves by size, and sizes of the curves by number of messages, byte.
inline constexpr int message_window = 64;
inline constexpr std::array<std::int64_t, 3> window_sizes{8, 4096, 65536};
std::string sizes_series(std::string_view way, std::string_view exchange);
std::string window_series(std::string_view way, std::int64_t bytes);

/// byte/s by message size, all with as many messages before the sender waits. Sizes rise.
struct MessageSeries {
  int messages{};
  std::vector<double> bytes, byte_per_s;
};

/// What bounds messages between two ranks of one kind of way, and what they reached: the message roofline of Ding et
/// al., "Evaluating the performance of one-sided communication on CPUs and GPUs", SC23 workshops (P3HPC).
struct MessageRoofline {
  std::string device, way;
  MessageMedium medium{};
  std::optional<double> latency_s;        ///< of a small message, half a round trip; a good row alone
  std::optional<double> peak_byte_per_s;  ///< of large messages in one direction; a good row alone
  std::vector<MessageSeries> reached;     ///< one direction, fewest messages first

  /// Of a series in a picture: the way, and the medium where it is not the hosts' memory.
  std::string label() const;
  /// byte/s of messages of this size, so many before each wait: the smaller of messages x bytes / latency and the peak,
  /// of the roofs that are there. Nothing without any.
  std::optional<double> attainable(double bytes, int messages) const;
  /// Bytes that must be under way for the peak: latency x peak.
  std::optional<double> bytes_under_way() const;
};

/// One for each medium and kind of way that the result has something of on this device, which is a network; those of
/// hosts' memory first.
std::vector<MessageRoofline> message_rooflines(const Result& result, const std::string& device);

/// A collective beside the link that its messages cross, between the same memories and by the same calls.
struct JudgedCollective {
  std::string name, variant;
  MessageMedium medium{};
  double bus_byte_per_s{};  ///< what each link carries for it, in one direction (bus bandwidth)
  std::string way;          ///< between nodes, where there are several
  double fraction{};        ///< of that way's peak
};

/// The good rows of bus bandwidth of a network, each over the peak of its links; without those whose links have no
/// good peak.
std::vector<JudgedCollective> judged_collectives(const Result& result, const std::string& device);

/// The roofs of one kind of way as a link between devices.
struct MessageLink {
  std::string way;
  MessageMedium medium{};
  double latency_s{}, peak_byte_per_s{};  ///< of one direction

  /// s of an all-reduce of a message of so many bytes over n ranks that stand in a ring of such links: 2 (n - 1) steps
  /// of bytes / n each (Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005).
  double ring_all_reduce_s(double bytes, double ranks) const;
};

/// That of the first of `media` that has a good latency and peak of that way in this network; nothing without one.
std::optional<MessageLink> message_link(const Result& result, const std::string& device, std::string_view way,
                                        MessageMedia media);

/// Which way messages of all ranks take: that between nodes, where there are several, else that inside the only one.
/// Whether it has a good figure does not matter, and neither in which memory: of a run that ended early it may have
/// none.
std::string_view widest_way(const Result& result, const std::string& device);

/// The same of that way. Nothing where it has no good latency and peak: with several nodes the way inside one never
/// stands for it.
std::optional<MessageLink> widest_message_link(const Result& result, const std::string& device, MessageMedia media);

}  // namespace gable
