#include "core/verdict/message_medium.hpp"

#include <fmt/format.h>

#include "core/enum_names.hpp"

namespace gable {
namespace {

constexpr auto medium_names = enum_names<MessageMedium>({{MessageMedium::host, "host"},
                                                         {MessageMedium::device, "device"},
                                                         {MessageMedium::nccl, "nccl"},
                                                         {MessageMedium::rccl, "rccl"}});
constexpr auto in_words = enum_names<MessageMedium>({{MessageMedium::host, "host memory"},
                                                     {MessageMedium::device, "device memory by MPI"},
                                                     {MessageMedium::nccl, "device memory by NCCL"},
                                                     {MessageMedium::rccl, "device memory by RCCL"}});

}  // namespace

std::string_view to_string(MessageMedium medium) { return medium_names.name(medium); }
std::string_view medium_words(MessageMedium medium) { return in_words.name(medium); }

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
