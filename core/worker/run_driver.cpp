#include "core/worker/run_driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/device/device_parts.hpp"
#include "core/error.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/json.hpp"
#include "core/row_item.hpp"
#include "core/sequence.hpp"

namespace gable::worker {

Ceiling opening_row(const DeviceInfo& device, const Request& request) {
  auto row = new_row(device, request.scope, request.threads, CeilingKind::overhead, "open", "s");
  row.id = ceiling_id(row);
  return row;
}

std::set<std::string> without_figure(const Result& result) {
  std::set<std::string> keys;
  for_each_row(result, [&](const auto& row) {
    if (row.status == Status::suspect || row.status == Status::skipped || row.status == Status::error)
      keys.insert(journal_key(row.device, row.id));
  });
  return keys;
}

int replace_rows(Result& result, const Result& fresh) {
  int replaced = 0;
  for_each_row(fresh, [&]<class T>(const T& row) {
    auto& rows = rows_of<T>(result);
    const auto old =
        std::ranges::find_if(rows, [&](const T& other) { return other.device == row.device && other.id == row.id; });
    if (row.status != Status::ok || old == rows.end()) return;
    *old = row;
    ++replaced;
  });
  return replaced;
}

namespace {

constexpr const char* concurrent_fact = "measured together with";

/// A further process of a worker that has already started once.
Session start_again(const Candidate& candidate) {
  try {
    return Session(candidate);
  } catch (const InterruptedError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw Error(fmt::format("{} does not start again: {}", candidate.path.filename().string(), error.what()));
  }
}

/// Names on a device those that took part beside it. A run that goes on has them in its journal.
void name_others(DeviceInfo& device, std::vector<std::string> devices) {
  if (std::ranges::count(device.facts, concurrent_fact, &Fact::name) > 0) return;
  std::erase(devices, device.id);
  device.facts.push_back({concurrent_fact, fmt::format("{}", fmt::join(devices, ", ")), "--concurrent"});
}

}  // namespace

std::vector<DeviceInfo> RunDriver::devices_to_measure(const Session& session, bool with_gpu) {
  std::vector<DeviceInfo> devices;
  for (const DeviceInfo& device : session.probe().devices) {
    if (!request_.concurrent || !is_cpu(device)) {
      devices.push_back(device);
      continue;
    }
    if (request_.scope == Scope::node && !with_gpu) request_.scope = largest_parts(device);
    for (DeviceInfo& part : parts_of(device, request_.scope, request_.mode)) devices.push_back(std::move(part));
  }
  return devices;
}

void RunDriver::take(std::vector<Session> sessions, bool with_gpu, const Pick& pick) {
  for (Session& session : sessions) {
    const Candidate candidate = session.candidate();
    bool free = true;  // the process that probed serves its first device, further ones get their own
    for (const DeviceInfo& found : devices_to_measure(session, with_gpu)) {
      const auto device = pick(found);
      if (!device) continue;
      devices_.push_back({free ? std::move(session) : start_again(candidate), *device, {}, {}});
      free = false;
    }
  }
}

RunDriver::RunDriver(std::vector<Session> sessions, const std::vector<std::string>& devices, Request request)
    : request_(std::move(request)) {
  const auto is_wanted = [&](const std::string& id) { return devices.empty() || std::ranges::count(devices, id) > 0; };
  const bool with_gpu = std::ranges::any_of(sessions, [&](const Session& session) {
    return std::ranges::any_of(session.probe().devices,
                               [&](const DeviceInfo& device) { return is_gpu(device) && is_wanted(device.id); });
  });
  std::vector<std::string> known, missing = devices;
  take(std::move(sessions), with_gpu, [&](const DeviceInfo& device) -> std::optional<DeviceInfo> {
    known.push_back(device.id);
    const std::string whole = is_part(device) ? device.backend : device.id;
    std::erase(missing, device.id);
    std::erase(missing, whole);
    if (is_wanted(device.id) || is_wanted(whole)) return device;
    return {};
  });
  const std::string found = fmt::format("{}", fmt::join(known, ", "));
  if (!missing.empty()) throw Error(fmt::format("unknown device '{}'; found: {}", missing.front(), found));
  if (request_.concurrent && devices_.size() < 2)
    throw Error(fmt::format("--concurrent needs two devices or more, and has {}; found: {}",
                            devices_.empty() ? "none" : devices_.front().device.id, found));
}

RunDriver::RunDriver(std::vector<Session> sessions, const std::vector<DeviceInfo>& before, Request request)
    : request_(std::move(request)) {
  std::vector<DeviceInfo> missing = before;
  take(std::move(sessions), std::ranges::any_of(before, is_gpu),
       [&](const DeviceInfo& now) -> std::optional<DeviceInfo> {
         const auto found = std::ranges::find(missing, now.id, &DeviceInfo::id);
         if (found == missing.end()) return {};
         const DeviceInfo device = *found;
         if (now.name != device.name || now.cores != device.cores)
           throw Error(fmt::format("it was begun on {} ({} cores), and this is {} ({} cores)", device.name,
                                   device.cores, now.name, now.cores));
         if (now.isa != device.isa)
           throw Error(fmt::format("it was begun with the instruction sets {} of {}, and here they are {}",
                                   fmt::join(device.isa, ", "), device.id, fmt::join(now.isa, ", ")));
         missing.erase(found);
         return device;
       });
  if (missing.empty()) return;
  throw Error(fmt::format("the run was begun on device '{}' ({}), which is not here", missing.front().id,
                          missing.front().name));
}

void RunDriver::check_same_builds(const Result& begun) const {
  for (const OpenedDevice& opened : devices_) {
    const auto& hello = opened.session.hello();
    const auto known = std::ranges::find(begun.workers, hello.worker, &std::pair<std::string, Build>::first);
    if (known != begun.workers.end() && result::to_json(known->second) == result::to_json(hello.build)) continue;
    throw Error(
        fmt::format("this {} is another build than the one that began; what was measured is kept", hello.worker));
  }
}

void RunDriver::open() {
  if (request_.concurrent) {
    for (const OpenedDevice& opened : devices_) request_.concurrent_devices.push_back(opened.device.id);
  }
  std::vector<OpenedDevice> answered;
  for (OpenedDevice& opened : devices_) {
    try {
      plan(opened);
      answered.push_back(std::move(opened));
    } catch (const Error&) {
      throw;
    } catch (const InterruptedError&) {
      throw;
    } catch (const std::runtime_error& error) {
      failures_.push_back({opened.device, error.what()});
    }
  }
  devices_ = std::move(answered);
  if (!request_.concurrent) return;
  if (devices_.size() < 2 && !failures_.empty())
    throw Error(fmt::format("--concurrent needs two devices or more, and {} cannot be opened: {}",
                            failures_.front().device.id, failures_.front().reason));
  keep_concurrent_items();
}

void RunDriver::plan(OpenedDevice& opened) {
  opened.request = request_;
  if (request_.concurrent && !is_part(opened.device)) opened.request.scope = Scope::node;
  opened.items = opened.session.open(opened.device, opened.request);
  keep_planned(opened);
}

void RunDriver::keep_planned(OpenedDevice& opened) const {
  if (!only_) return;
  std::erase_if(opened.items.items, [&](const ItemInfo& item) {
    const std::string& row = is_stream_among_operators(item) ? id_of_stream(item) : item.id();
    return !only_->contains(journal_key(opened.device.id, row));
  });
}

void RunDriver::keep_concurrent_items() {
  std::set<std::string> keys;
  const auto devices = mapped(devices_, [](const OpenedDevice& opened) { return opened.device.id; });
  const std::vector<Schedule> all = schedules();
  for (const Step& step : all.front()) {
    for (const Step::Part& part : step.parts) keys.insert(journal_key(devices[part.device], part.item.id()));
  }
  plan_only(std::move(keys));
  for (OpenedDevice& opened : devices_) {
    name_others(opened.device, devices);
    keep_planned(opened);
  }
}

std::vector<Schedule> RunDriver::schedules() const {
  const auto plans = mapped(devices_, [](const OpenedDevice& opened) {
    return DevicePlan{opened.device, opened.items.items};
  });
  if (request_.concurrent) return {concurrent_schedule(plans)};
  return separate_schedules(plans);
}

Answer RunDriver::left_to_measure(const MeasuredRounds& done, const Rounds& rounds) const {
  Answer answer;
  answer.add_table("devices", "", table_of(devices_, [](const OpenedDevice& opened) -> Answer::Facts {
                     return {{"id", "device", opened.device.id}, {"name", "name", opened.device.name}};
                   }));
  Answer::Table items;
  for (const OpenedDevice& opened : devices_) {
    for (const ItemInfo& item : opened.items.items) {
      const auto seen = done.find(journal_key(opened.device.id, item.id()));
      const int measured = seen == done.end() ? 0 : static_cast<int>(seen->second.size());
      const int left = rounds.of(item) - measured;
      if (left <= 0) continue;
      items.add({{"device", "device", opened.device.id},
                 {"id", "row", item.id()},
                 {"title", item.title},
                 {"rounds", "rounds", left},
                 {"expected_s", "time", item.expected_s * left, "s"}});
    }
  }
  answer.add_table("items", "", std::move(items)).whole = true;
  return answer;
}

void RunDriver::run(MeasuredRounds done, const Rounds& rounds, result::Journal& journal, Result& result,
                    Watcher& watcher) {
  for (const Failure& failure : failures_) {
    const Row row = without_figure(opening_row(failure.device, request_), Status::error, failure.reason);
    journal.add_round(journal_key(failure.device.id, id_of(row)), {0, {row}});
    add_rows(result, {row});
    watcher.note(fmt::format("{} is left out: {}", failure.device.id, failure.reason));
  }
  drive(schedules(), devices_, std::move(done), rounds, journal, result, watcher);
}

}  // namespace gable::worker
