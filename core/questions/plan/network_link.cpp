#include "core/questions/plan/inference_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"

namespace gable::questions {
namespace {

/// What a name asks for.
struct Asked {
  std::optional<MessageMedium> medium;
  std::string_view way;  ///< empty: any
};

Asked asked_by(std::string_view name, const std::string& file) {
  Asked asked;
  std::string_view rest = name;
  for (const MessageMedium medium : message_media) {
    const std::string_view own = to_string(medium);
    if (!rest.starts_with(own) || (rest.size() > own.size() && rest[own.size()] != ':')) continue;
    asked.medium = medium;
    rest.remove_prefix(std::min(rest.size(), own.size() + 1));
    break;
  }
  asked.way = rest;
  const bool known = std::ranges::count(message_ways, rest) != 0;
  if (known || (rest.empty() && !name.ends_with(':'))) return asked;
  throw Error(
      fmt::format("--link {}:{}: name host, device, nccl or rccl, inside_node or between_nodes, or both "
                  "(nccl:inside_node)",
                  file, name));
}

/// The device whose messages were measured, which is a network; of several the one that has as many ranks. Empty
/// without one.
std::string network_of(const Result& result, const std::string& file, Count ranks) {
  std::vector<const DeviceInfo*> networks;
  for (const DeviceInfo& device : result.devices) {
    if (!message_rooflines(result, device.id).empty() || measured_all_reduce(result, device.id, message_media))
      networks.push_back(&device);
  }
  if (networks.empty()) return {};
  if (networks.size() == 1) return networks.front()->id;
  std::vector<std::string> names, fitting;
  for (const DeviceInfo* network : networks) {
    names.push_back(fmt::format("{} ({})", network->id, network->name));
    if (network->threads == ranks) fitting.push_back(network->id);
  }
  if (fitting.size() == 1) return fitting.front();
  throw Error(fmt::format("{} is of several networks, {} of them of {} rank{}: {}; name the file of one", file,
                          fitting.empty() ? "none" : std::to_string(fitting.size()), ranks, ranks == 1 ? "" : "s",
                          fmt::join(names, ", ")));
}

/// Whether the network has any figure of these media.
bool take(MachineModel& machine, const Result& result, const std::string& network, std::string_view way,
          MessageMedia media) {
  if (way.empty()) {
    machine.all_reduce = measured_all_reduce(result, network, media);
    machine.message_link = widest_message_link(result, network, media);
  } else {
    machine.message_link = message_link(result, network, way, media);
  }
  return machine.all_reduce || machine.message_link;
}

}  // namespace

void set_network(MachineModel& machine, const Result& result, const std::string& file, std::string_view name,
                 Count devices) {
  const auto [medium, way] = asked_by(name, file);
  const std::string network = network_of(result, file, devices);
  machine.all_reduce.reset();
  machine.message_link.reset();
  machine.network_file = file;
  machine.network_complete = result.run.complete;
  const auto has = [&](MessageMedia media) { return take(machine, result, network, way, media); };
  if (medium ? has(MessageMedia(&*medium, 1)) : (!machine.is_cpu && has(device_media)) || has(host_media)) return;
  const auto sought = machine.is_cpu && !medium ? MessageMedium::host : medium;
  const std::string which = sought ? fmt::format(" ({})", medium_words(*sought)) : "";
  const std::string_view sought_way = way.empty() ? widest_way(result, network) : way;
  throw Error(fmt::format("{}{} has no {}good latency and bandwidth of messages {}{}: gable-mpi measures them", file,
                          result.run.complete ? "" : ", incomplete,",
                          way.empty() ? "good row of an all-reduce and no " : "", sought_way, which));
}

}  // namespace gable::questions
