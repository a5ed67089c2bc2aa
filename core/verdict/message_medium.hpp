#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/model/ceiling.hpp"

namespace gable {

/// Between which memories a network's messages go, and whose calls move them (docs/network.md).
enum class MessageMedium {
  host,    ///< the hosts' memory, by MPI
  device,  ///< devices' memory, by MPI
  nccl,    ///< devices' memory, by NCCL
  rccl,    ///< devices' memory, by RCCL
};
/// As --link takes it.
constexpr auto names_of(MessageMedium) { return names_up_to<MessageMedium::rccl>("host", "device", "nccl", "rccl"); }
inline constexpr std::array message_media{MessageMedium::host, MessageMedium::device, MessageMedium::nccl,
                                          MessageMedium::rccl};

/// For people: "host memory", "device memory by NCCL".
std::string_view medium_words(MessageMedium medium);

/// Behind names of rows and series whose messages begin and end in devices' memory.
inline constexpr std::string_view on_devices = "_device";
/// Name of a row: "all_reduce", "all_reduce_device". Whose calls they were is its implementation.
std::string message_row_name(std::string_view name, MessageMedium medium);
/// Beginning of a curve's series: "all_reduce", "all_reduce_device", "all_reduce_device by nccl".
std::string message_series_name(std::string_view name, MessageMedium medium);
/// Between devices' memories by these calls, as rows name them: "nccl", "rccl", else MPI's.
MessageMedium device_medium(std::string_view implementation);
/// That of a row of a network.
MessageMedium medium_of(const Ceiling& row);

/// What tensor parallelism on devices is planned by, best first: the memory of devices by the vendors' own calls, then
/// by MPI; and that of hosts for a CPU, and where nothing of the devices' was measured.
using MessageMedia = std::span<const MessageMedium>;
inline constexpr std::array device_media{MessageMedium::nccl, MessageMedium::rccl, MessageMedium::device};
inline constexpr std::array host_media{MessageMedium::host};

}  // namespace gable
