#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/result.hpp"
#include "core/verdict/message_medium.hpp"

namespace gable {

/// Names of what a network's result says of an all-reduce (docs/network.md): its row of what each link moves in one
/// direction, whose variant begins with `bus_bandwidth`, and its curve of times by size.
inline constexpr std::string_view all_reduce_row = "all_reduce", bus_bandwidth = "bus_bandwidth",
                                  collective_times = "collective_times";

/// The all-reduce that a network's result measured.
struct MeasuredAllReduce {
  MessageMedium medium{};
  int ranks{};
  int nodes{};
  double bus_byte_per_s{};             ///< in one direction of each link, of the largest messages
  std::vector<double> bytes, seconds;  ///< of one all-reduce by message size, rising; empty where not measured

  /// s of one all-reduce of a message of so many bytes: between two measured sizes on the line through them (a fixed
  /// time and a rate), below the smallest the time of that, beyond the largest at its rate. Without sizes
  /// 2 (n - 1) / n x bytes over the bus bandwidth.
  double seconds_of(double message_bytes) const;
};

/// That of the first of `media` that has a good row in this network, and of its good rows that of the highest bus
/// bandwidth; nothing without one.
std::optional<MeasuredAllReduce> measured_all_reduce(const Result& result, const std::string& device,
                                                     MessageMedia media);

/// Hosts among the facts of a network, which tell that of each rank; 0 where they tell none.
int nodes_of(const Result& result, const std::string& device);

}  // namespace gable
