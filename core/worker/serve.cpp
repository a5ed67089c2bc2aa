#include "core/worker/serve.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>

#include "core/error.hpp"
#include "core/worker/item_plan.hpp"
#include "core/worker/protocol.hpp"

namespace gable::worker {
namespace {

/// The line to the parent, on a descriptor that no library knows.
class Channel {
 public:
  Channel() : fd_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) { ::dup2(STDERR_FILENO, STDOUT_FILENO); }
  void send(const FromWorker& message) const {
    const std::string text = encode(message) + '\n';
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t wrote = ::write(fd_, text.data() + done, text.size() - done);
      if (wrote < 0 && errno != EINTR) std::_Exit(3);  // the parent is gone: nobody to measure for
      if (wrote > 0) done += static_cast<std::size_t>(wrote);
    }
  }
  /// Next message; Quit at the end of the input.
  static FromParent receive() {
    std::string line;
    if (!std::getline(std::cin, line)) return Quit{};
    return decode_from_parent(line);
  }

 private:
  int fd_;
};

/// The rows of an item, whatever becomes of it: one that yields none is the row that was planned, with the reason.
std::vector<Row> run_item(const Item& item) {
  try {
    return item.run();
  } catch (const measure::NoTime& busy) {
    return {without_figure(item.planned, Status::skipped, busy.what())};
  } catch (const std::exception& failure) {
    return {without_figure(item.planned, Status::error, failure.what())};
  } catch (...) {
    return {without_figure(item.planned, Status::error, "an exception without a message")};
  }
}

/// The device as the plan is to see it.
DeviceInfo planned_device(const Probe& probe, const Open& open) {
  for (DeviceInfo device : probe.devices) {
    if (device.id != open.device) continue;
    device.free_memory_bytes = open.free_memory_bytes;
    return device;
  }
  throw Error(fmt::format("no device '{}' here", open.device));
}

Items describe(const std::vector<Item>& items) {
  Items described;
  for (const Item& item : items) described.items.push_back({item.planned, item.title, item.expected_s, item.timeout_s});
  return described;
}

void run_session(const Channel& channel, Backend& backend, std::span<const OperatorEntry* const> entries,
                 const Probe& probe) {
  const auto message = Channel::receive();
  const auto* open = std::get_if<Open>(&message);
  if (!open) return;
  const DeviceInfo device = planned_device(probe, *open);
  backend.open(device, open->request);
  const std::vector<Item> items = plan_items(backend, device, open->request, entries);
  std::map<std::string, const Item*> by_id;
  for (const Item& item : items) {
    if (!by_id.emplace(item.id(), &item).second) throw std::logic_error("item listed twice: " + item.id());
  }
  channel.send(describe(items));
  channel.send(Ready{});
  for (auto answer = Channel::receive(); const auto* go = std::get_if<Go>(&answer); answer = Channel::receive()) {
    for (const std::string& id : go->ids) {
      const auto found = by_id.find(id);
      if (found == by_id.end()) throw Error(fmt::format("no item '{}' in this plan", id));
      channel.send(Begin{id});
      channel.send(End{id, run_item(*found->second)});
    }
    channel.send(Done{});
  }
}

}  // namespace

int serve(Backend& backend, std::span<const OperatorEntry* const> entries, const std::string& worker_name,
          const Build& build) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent ends a worker. A terminal's Ctrl-C, and a batch system's SIGTERM, reach every process of a job.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  const Channel channel;
  try {
    channel.send(Hello{protocol_version, worker_name, build});
    const Probe probe = backend.probe();
    channel.send(Found{probe});
    if (!probe.devices.empty()) run_session(channel, backend, entries, probe);
    return 0;
  } catch (const Error& error) {
    channel.send(Failed{error.what()});
    return 2;
  } catch (const std::exception& error) {  // the parent takes the last line as the reason
    std::cerr << error.what() << std::endl;
    return 3;
  }
}

}  // namespace gable::worker
