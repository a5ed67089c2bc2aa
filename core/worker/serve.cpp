#include "core/worker/serve.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/device/device_parts.hpp"
#include "core/error.hpp"
#include "core/measure/rendezvous.hpp"
#include "core/text/posix_file.hpp"
#include "core/worker/protocol.hpp"

namespace gable::worker {
namespace {

/// The line to the parent, on a descriptor that no library knows.
class Channel {
 public:
  Channel() : fd_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) { ::dup2(STDERR_FILENO, STDOUT_FILENO); }
  void send(const FromWorker& message) const {
    if (!write_all(fd_, encode(message) + '\n')) std::_Exit(3);  // the parent is gone: nobody to measure for
  }
  /// Next message; Quit at the end of the input.
  FromParent receive() {
    constexpr int without_limit = -1;
    return *next(without_limit);
  }
  /// The same without waiting: nothing if there is none yet.
  std::optional<FromParent> poll() { return next(0); }

 private:
  std::optional<FromParent> next(int wait_ms) {
    for (;;) {
      if (const auto end = pending_.find('\n'); end != std::string::npos) {
        const std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return decode_from_parent(line);
      }
      pollfd input{STDIN_FILENO, POLLIN, 0};
      const int ready = ::poll(&input, 1, wait_ms);
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) return {};
      std::array<char, 4096> chunk;
      const ssize_t got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Quit{};
      pending_.append(chunk.data(), static_cast<std::size_t>(got));
    }
  }

  int fd_;
  std::string pending_;  ///< what came and is no whole line yet
};

/// What the parent tells of the other workers while an item is measured together with them.
class ParentsRendezvous final : public measure::Rendezvous {
 public:
  ParentsRendezvous(Channel& channel, std::string id) : channel_(channel), id_(std::move(id)) {}
  void begin(const std::function<void()>& work) override {
    channel_.send(Warm{id_});
    work_until<Start>(work);
  }
  void end(const std::function<void()>& work) override {
    channel_.send(Taken{id_});
    work_until<Stop>(work);
  }

 private:
  template <class Message>
  void work_until(const std::function<void()>& work) {
    for (;;) {
      const auto message = channel_.poll();
      if (message && std::holds_alternative<Message>(*message)) return;
      if (message) std::_Exit(3);  // the parent is gone, or gave up: nobody to measure for
      work();
    }
  }

  Channel& channel_;
  std::string id_;
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

/// The device, or the part of one, as the plan is to see it.
DeviceInfo planned_device(const Probe& probe, const Open& open) {
  auto device = find_device(probe.devices, open.device, open.request.scope, open.request.mode);
  if (!device) throw Error(fmt::format("no device '{}' here", open.device));
  device->free_memory_bytes = open.free_memory_bytes;
  return *std::move(device);
}

/// A part is measured as a whole.
Request planned_request(Request request, const DeviceInfo& device) {
  if (is_part(device)) request.scope = Scope::node;
  return request;
}

Items describe(const std::vector<Item>& items) {
  Items described;
  for (const Item& item : items) described.items.push_back({item.planned, item.title, item.expected_s, item.timeout_s});
  return described;
}

void run_session(Channel& channel, Backend& backend, std::span<const OperatorEntry* const> entries,
                 ExperimentCases cases_of, const Probe& probe) {
  const auto message = channel.receive();
  const auto* open = std::get_if<Open>(&message);
  if (!open) return;
  const DeviceInfo device = planned_device(probe, *open);
  const Request request = planned_request(open->request, device);
  backend.open(device, request);
  const std::vector<Item> items = plan_items(backend, device, request, entries, cases_of);
  std::map<std::string, const Item*> by_id;
  for (const Item& item : items) {
    if (!by_id.emplace(item.id(), &item).second) throw std::logic_error("item listed twice: " + item.id());
  }
  channel.send(describe(items));
  channel.send(Ready{});
  for (auto answer = channel.receive(); const auto* go = std::get_if<Go>(&answer); answer = channel.receive()) {
    for (const std::string& id : go->ids) {
      const auto found = by_id.find(id);
      if (found == by_id.end()) throw Error(fmt::format("no item '{}' in this plan", id));
      channel.send(Begin{id});
      ParentsRendezvous others(channel, id);
      std::optional<measure::AtRendezvous> at_rendezvous;
      if (go->together) at_rendezvous.emplace(others);
      channel.send(End{id, run_item(*found->second)});
    }
    channel.send(Done{});
  }
}

}  // namespace

int serve(Backend& backend, std::span<const OperatorEntry* const> entries, ExperimentCases cases_of,
          const std::string& worker_name, const Build& build) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent ends a worker. A terminal's Ctrl-C, its end, and a batch system's SIGTERM reach every process of a job.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  Channel channel;
  try {
    channel.send(Hello{protocol_version, worker_name, build});
    const Probe probe = backend.probe();
    channel.send(Found{probe});
    if (!probe.devices.empty()) run_session(channel, backend, entries, cases_of, probe);
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
