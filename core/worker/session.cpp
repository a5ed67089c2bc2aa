#include "core/worker/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/device/cpu_target.hpp"
#include "core/error.hpp"
#include "core/text/lower.hpp"

namespace gable::worker {
namespace {

/// Long enough for a cold start of a GPU runtime; probing measures nothing.
constexpr double start_timeout_s = 60.0;
/// Opening starts a runtime and plans; arrays are allocated by the items that use them.
constexpr double open_timeout_s = 300.0;

std::string died(Process& process) {
  std::string reason = fmt::format("worker ended with {}", process.ending());
  if (const std::string last = process.last_error_line(); !last.empty()) reason += ": " + last;
  return reason;
}

StartProblem problem_of(const Candidate& candidate, std::string reason) {
  using enum StartProblem::Kind;
  return {candidate.backend == "openmp" ? no_cpu_worker : no_gpu, candidate.path.filename().string(), candidate.backend,
          std::move(reason)};
}

}  // namespace

FromWorker Session::next(double timeout_s) {
  const ReadResult read = process_.read(timeout_s);
  if (std::holds_alternative<Interrupted>(read)) throw InterruptedError();
  if (std::holds_alternative<TimedOut>(read)) {
    process_.kill();
    throw std::runtime_error(fmt::format("no answer within {:g} s", timeout_s));
  }
  if (std::holds_alternative<Closed>(read)) throw std::runtime_error(died(process_));
  FromWorker message;
  try {
    message = decode_from_worker(std::get<OutputLine>(read).text);
  } catch (const Error& error) {  // a broken worker is a failed measurement, not the user's bad input
    process_.kill();
    throw std::runtime_error(fmt::format("worker sent an unreadable line: {}", error.what()));
  }
  if (const auto* failed = std::get_if<Failed>(&message)) throw Error(failed->what);
  return message;
}

Session::Session(const Candidate& candidate) : candidate_(candidate), process_(candidate.path) {
  const FromWorker first = next(start_timeout_s);
  const auto* hello = std::get_if<Hello>(&first);
  if (!hello) throw std::runtime_error("worker did not say hello");
  hello_ = *hello;
  if (hello_.protocol != protocol_version) {
    throw std::runtime_error(fmt::format("worker speaks protocol {}, this gable speaks {}: rebuild both together",
                                         hello_.protocol, protocol_version));
  }
  const FromWorker second = next(start_timeout_s);
  const auto* found = std::get_if<Found>(&second);
  if (!found) throw std::runtime_error("worker did not say what it found");
  probe_ = found->probe;
}

const Items& Session::open(const DeviceInfo& device, const Request& request) {
  process_.send(encode(FromParent{Open{device.id, request, device.free_memory_bytes}}));
  for (;;) {
    const FromWorker message = next(open_timeout_s);
    if (const auto* items = std::get_if<Items>(&message)) items_ = *items;
    if (std::holds_alternative<Ready>(message)) return items_;
  }
}

std::optional<ItemInfo> Session::drive(std::span<const ItemInfo> items, const Events& events, std::string& failure) {
  Go go;
  for (const ItemInfo& item : items) go.ids.push_back(item.id());
  go.together = static_cast<bool>(events.warm);
  process_.send(encode(FromParent{go}));
  std::size_t at = 0;
  for (bool done = items.empty(); !done;) {
    const ItemInfo& item = items[std::min(at, items.size() - 1)];
    try {
      FromWorker message = next(item.timeout_s);
      done = std::holds_alternative<Done>(message);
      if (done && at < items.size()) throw std::runtime_error("worker ended the round too early");
      if (std::holds_alternative<Begin>(message)) events.begun(item);
      if (std::holds_alternative<Warm>(message) && events.warm) {
        events.warm();
        process_.send(encode(FromParent{Start{}}));
      }
      if (std::holds_alternative<Taken>(message) && events.taken) {
        events.taken();
        process_.send(encode(FromParent{Stop{}}));
      }
      if (auto* end = std::get_if<End>(&message)) {
        if (end->id != item.id()) throw std::runtime_error(fmt::format("worker ended '{}' instead", end->id));
        events.finished(item, std::move(end->rows));
        ++at;
      }
    } catch (const Error&) {
      throw;
    } catch (const InterruptedError&) {
      process_.kill();
      throw;
    } catch (const std::runtime_error& error) {
      failure = error.what();
      process_.kill();
      if (at == items.size()) return {};  // all is measured: the next round starts a new worker
      return item;
    }
  }
  return {};
}

std::string to_string(const StartProblem& problem) {
  if (problem.kind == StartProblem::Kind::no_cpu_worker) return fmt::format("{}: {}", problem.worker, problem.reason);
  return fmt::format("no {} device: {} ({})", upper(problem.backend), problem.reason, problem.worker);
}

std::vector<Session> start_sessions(std::vector<StartProblem>& problems) {
  std::vector<Session> sessions;
  std::vector<std::string> served;
  for (const Candidate& candidate : find_workers()) {
    if (std::find(served.begin(), served.end(), candidate.backend) != served.end()) continue;
    if (std::string why = refusal(candidate, cpu_flags()); !why.empty()) {
      problems.push_back(problem_of(candidate, std::move(why)));
      continue;
    }
    try {
      Session session(candidate);
      if (!session.probe().reason.empty()) problems.push_back(problem_of(candidate, session.probe().reason));
      if (session.probe().devices.empty()) continue;
      sessions.push_back(std::move(session));
      served.push_back(candidate.backend);
    } catch (const InterruptedError&) {
      throw;
    } catch (const std::exception& error) {
      problems.push_back(problem_of(candidate, error.what()));
    }
  }
  if (sessions.empty() && problems.empty())
    throw Error(fmt::format("no worker gable-worker-* found {}", worker_folders()));
  return sessions;
}

}  // namespace gable::worker
