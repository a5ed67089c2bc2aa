#include "core/verdict/message_medium.hpp"

#include <fmt/format.h>

namespace gable {

std::string_view medium_words(MessageMedium medium) {
  constexpr auto words = names_up_to<MessageMedium::rccl>("host memory", "device memory by MPI",
                                                          "device memory by NCCL", "device memory by RCCL");
  return words[static_cast<std::size_t>(medium)];
}

std::string message_row_name(std::string_view name, MessageMedium medium) {
  return fmt::format("{}{}", name, medium == MessageMedium::host ? "" : on_devices);
}

std::string message_series_name(std::string_view name, MessageMedium medium) {
  const bool of_mpi = medium == MessageMedium::host || medium == MessageMedium::device;
  return of_mpi ? message_row_name(name, medium)
                : fmt::format("{} by {}", message_row_name(name, medium), to_string(medium));
}

MessageMedium device_medium(std::string_view implementation) {
  for (const MessageMedium medium : {MessageMedium::nccl, MessageMedium::rccl}) {
    if (implementation == to_string(medium)) return medium;
  }
  return MessageMedium::device;
}

MessageMedium medium_of(const Ceiling& row) {
  return row.name.ends_with(on_devices) ? device_medium(row.implementation) : MessageMedium::host;
}

}  // namespace gable
