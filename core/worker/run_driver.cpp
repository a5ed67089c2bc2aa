#include "core/worker/run_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <variant>

#include "core/device/device_parts.hpp"
#include "core/error.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/json.hpp"
#include "core/row_item.hpp"
#include "core/worker/concurrent_group.hpp"
#include "core/worker/drive.hpp"

namespace gable::worker {

Ceiling opening_row(const DeviceInfo& device, const Request& request) {
  auto row = new_row(device, request.scope, request.threads, CeilingKind::overhead, "open", "s");
  row.id = ceiling_id(row);
  return row;
}

std::string journal_key(const std::string& device, const std::string& item) { return device + "/" + item; }

void add_rows(Result& result, const std::vector<Row>& rows) {
  for (const Row& row : rows) add_row(result, row);
}

namespace {

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

void RunDriver::take(Session session, const std::vector<DeviceInfo>& devices) {
  const Candidate candidate = session.candidate();
  bool free = true;  // the process that probed serves its first device, further ones get their own
  for (const DeviceInfo& device : devices) {
    devices_.push_back({free ? std::move(session) : start_again(candidate), device, {}});
    free = false;
  }
}

RunDriver::RunDriver(std::vector<Session> sessions, const std::vector<std::string>& devices, Request request)
    : request_(std::move(request)) {
  std::string known;
  std::vector<std::string> missing = devices;
  const auto is_wanted = [&](const std::string& id) { return devices.empty() || std::ranges::count(devices, id) > 0; };
  const bool with_gpu = std::ranges::any_of(sessions, [&](const Session& session) {
    return std::ranges::any_of(session.probe().devices,
                               [&](const DeviceInfo& device) { return !is_cpu(device) && is_wanted(device.id); });
  });
  for (Session& session : sessions) {
    std::vector<DeviceInfo> wanted;
    for (const DeviceInfo& device : devices_to_measure(session, with_gpu)) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", device.id);
      const std::string whole = is_part(device) ? device.backend : device.id;
      if (is_wanted(device.id) || is_wanted(whole)) wanted.push_back(device);
      std::erase(missing, device.id);
      std::erase(missing, whole);
    }
    take(std::move(session), wanted);
  }
  if (!missing.empty()) throw Error(fmt::format("unknown device '{}'; found: {}", missing.front(), known));
  if (request_.concurrent && devices_.size() < 2)
    throw Error(fmt::format("--concurrent needs two devices or more, and has {}; found: {}",
                            devices_.empty() ? "none" : devices_.front().device.id, known));
}

RunDriver::RunDriver(std::vector<Session> sessions, const std::vector<DeviceInfo>& before, Request request)
    : request_(std::move(request)) {
  std::vector<DeviceInfo> missing = before;
  const bool with_gpu = std::ranges::any_of(before, [](const DeviceInfo& device) { return !is_cpu(device); });
  for (Session& session : sessions) {
    std::vector<DeviceInfo> wanted;
    for (const DeviceInfo& now : devices_to_measure(session, with_gpu)) {
      const auto device = std::ranges::find(missing, now.id, &DeviceInfo::id);
      if (device == missing.end()) continue;
      if (now.name != device->name || now.cores != device->cores) {
        throw Error(fmt::format("it was begun on {} ({} cores), and this is {} ({} cores)", device->name, device->cores,
                                now.name, now.cores));
      }
      wanted.push_back(*device);
      missing.erase(device);
    }
    take(std::move(session), wanted);
  }
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

namespace {

/// s since 1970.
double now_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

bool is_point(const ItemInfo& item) { return std::holds_alternative<Point>(item.planned); }

/// Everything else, then the operators and the streams among them, each in a random order.
void shuffle(std::vector<ItemInfo>& items, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto is_before = [](const ItemInfo& item) { return !is_point(item) && !is_stream_among_operators(item); };
  const auto points = std::stable_partition(items.begin(), items.end(), is_before);
  std::shuffle(items.begin(), points, random);
  std::shuffle(points, items.end(), random);
}

/// Of one round of these items.
double seconds_of(std::span<const ItemInfo> items) {
  double sum = 0;
  for (const ItemInfo& item : items) sum += item.expected_s;
  return sum;
}

/// Of all rounds planned.
double expected_seconds(const std::vector<ItemInfo>& items, const Rounds& rounds) {
  double sum = 0;
  for (const ItemInfo& item : items) sum += rounds.of(item) * item.expected_s;
  return sum;
}

}  // namespace

Rounds rounds_of(Mode mode) {
  Rounds rounds;
  rounds.count = mode == Mode::quick ? 3 : 5;
  rounds.of_a_curve = mode == Mode::quick ? 1 : 3;
  rounds.of_another_size = mode == Mode::quick ? 3 : 2;
  rounds.of_a_long_item = mode == Mode::quick ? 3 : 4;
  rounds.further = mode == Mode::quick ? 1 : 0.2;
  return rounds;
}

int Rounds::of(const ItemInfo& item) const {
  if (item.expected_s <= 0) return 1;
  if (std::holds_alternative<Curve>(item.planned)) return std::min(count, of_a_curve);
  const auto* row = std::get_if<Ceiling>(&item.planned);
  const bool another_size = row != nullptr && row->kind == CeilingKind::compute && row->at == OperatingPoint::library &&
                            !row->variant.empty();
  if (another_size) return std::min(count, of_another_size);
  constexpr double long_s = 0.5;
  return item.expected_s >= long_s ? std::min(count, of_a_long_item) : count;
}

void RunDriver::run(MeasuredRounds done, const Rounds& rounds, result::Journal& journal, Result& result,
                    Watcher& watcher) {
  Drive drive{std::move(done), rounds, journal, result, watcher};
  for (const Failure& failure : failures_) {
    const Row row = without_figure(opening_row(failure.device, request_), Status::error, failure.reason);
    journal.add_round(journal_key(failure.device.id, id_of(row)), {0, {row}});
    add_rows(result, {row});
    watcher.note(fmt::format("{} is left out: {}", failure.device.id, failure.reason));
  }
  int count = 0;
  double expected_s = 0;
  for (const OpenedDevice& opened : devices_) {
    for (const ItemInfo& item : opened.items.items) {
      int wanted = 0;
      for (int round = 0; round < rounds.count; ++round) wanted += drive.done(opened, item, round) ? 0 : 1;
      wanted = std::min(wanted, rounds.of(item));
      expected_s += item.expected_s * wanted;
      count += wanted;
    }
  }
  watcher.planned(count, expected_s);
  if (request_.concurrent) {
    measure_groups(drive);
  } else {
    for (OpenedDevice& opened : devices_) measure(opened, drive);
  }
  for (const OpenedDevice& opened : devices_) {
    add_rows(result, drive.rows(opened));
  }
}

void RunDriver::measure(OpenedDevice& opened, Drive& drive) {
  const auto& rounds = drive.rounds;
  for (int round = 0; round < rounds.count; ++round) {
    std::vector<ItemInfo> todo;
    for (const ItemInfo& item : opened.items.items) {
      if (!drive.done(opened, item, round)) todo.push_back(item);
    }
    if (todo.empty()) continue;
    if (round > 0) shuffle(todo, rounds.seed + static_cast<std::uint64_t>(round));
    drive.watcher.round(round + 1, rounds.count, static_cast<int>(todo.size()));
    measure(opened, todo, round, drive);
  }
  if (!rounds.doubtful) return;
  const double budget_s = rounds.retry_budget_s.value_or(rounds.further * expected_seconds(opened.items.items, rounds));
  double left_s = budget_s;
  for (int round = rounds.count; round < rounds.count + most_further && left_s > 0; ++round) {
    const auto start = std::chrono::steady_clock::now();
    Result now;
    now.devices = {opened.device};
    add_rows(now, drive.rows(opened));
    const Doubtful doubtful = rounds.doubtful(now);
    const bool only_basic = !doubtful.basic.empty() && left_s > budget_s / 2;
    const auto& without_figure = only_basic ? doubtful.basic : doubtful.without_figure;
    const bool imprecise_too = !only_basic && (without_figure.empty() || (round - rounds.count) % 2 == 1);
    bool in_this_round = false;  // of a run that goes on
    std::vector<ItemInfo> todo, others;
    for (const ItemInfo& item : opened.items.items) {
      const bool lacking = without_figure.contains(item.id());
      if (!lacking && !doubtful.without_figure.contains(item.id()) && !doubtful.imprecise.contains(item.id())) continue;
      const bool wanted = lacking || (imprecise_too && doubtful.imprecise.contains(item.id()));
      if (!drive.done(opened, item, round))
        (wanted ? todo : others).push_back(item);
      else
        in_this_round = in_this_round || wanted;
    }
    if (todo.empty() && in_this_round) continue;
    if (todo.empty()) return;
    std::mt19937_64 random(rounds.seed + static_cast<std::uint64_t>(round));
    std::shuffle(todo.begin(), todo.end(), random);
    std::shuffle(others.begin(), others.end(), random);
    // Pads a short retry round to outlast the disturbance that the last one was in.
    double planned_s = seconds_of(todo);
    for (const ItemInfo& item : others) {
      if (planned_s >= budget_s * least_of_the_budget) break;
      planned_s += item.expected_s;
      todo.push_back(item);
    }
    if (std::ranges::any_of(todo, is_point)) add_streams(todo, opened, round, drive);
    planned_s = 0;
    std::erase_if(todo, [&](const ItemInfo& item) { return (planned_s += item.expected_s) > left_s; });
    if (todo.empty()) return;
    shuffle(todo, rounds.seed + static_cast<std::uint64_t>(round));
    drive.watcher.round(round + 1, rounds.count, static_cast<int>(todo.size()));
    measure(opened, todo, round, drive);
    left_s -= std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
}

void RunDriver::add_streams(std::vector<ItemInfo>& todo, const OpenedDevice& opened, int round, Drive& drive) const {
  constexpr double recent_s = 1;  // memory changes within seconds (MemorySpeed)
  for (const ItemInfo& item : opened.items.items) {
    if (!is_stream_among_operators(item) || drive.done(opened, item, round)) continue;
    if (now_s() - drive.stream_ended_s(opened, item) >= recent_s) todo.push_back(item);
  }
}

void RunDriver::measure(OpenedDevice& opened, std::span<const ItemInfo> todo, int round, Drive& drive) {
  std::size_t done = 0;
  const auto keep = [&](const ItemInfo& item, std::vector<Row> rows) {
    record(opened, item, std::move(rows), round, drive);
    ++done;
  };
  const auto lose = [&](const ItemInfo& item, const std::string& why) {
    keep(item, {without_figure(item.planned, Status::error, why)});
  };
  const auto finished = [&](const ItemInfo& item, std::vector<Row> rows) {
    const auto* row = rows.empty() ? nullptr : std::get_if<Ceiling>(&rows.front());
    // The stream's row stands without it, so that a note has to say so.
    if (is_stream_among_operators(item) && row && row->status == Status::error)
      note_loss(opened, item, row->reason, drive);
    keep(item, std::move(rows));
  };
  const Session::Events events{[&](const ItemInfo& item) { drive.watcher.begun(item); }, finished};
  while (done < todo.size()) {
    std::string failure;
    const auto lost = opened.session.drive(todo.subspan(done), events, failure);
    if (!lost && failure.empty()) return;
    if (!lost) return restart(opened, drive);
    note_loss(opened, *lost, failure, drive);
    lose(*lost, failure);
    drive.watcher.note(fmt::format("{}: {}; going on with a new worker", lost->id(), failure));
    try {
      start_worker(opened);
    } catch (const InterruptedError&) {
      throw;
    } catch (const std::runtime_error& error) {
      failure = fmt::format("no new worker could be started: {}", error.what());
      while (done < todo.size()) lose(todo[done], failure);
    }
  }
}

void RunDriver::record(const OpenedDevice& opened, const ItemInfo& item, std::vector<Row> rows, int round,
                       Drive& drive) {
  set_round(rows, round, now_s());
  const RoundRows of_round{round, std::move(rows)};
  drive.journal.add_round(journal_key(opened.device.id, item.id()), of_round);
  drive.of(opened, item).push_back(of_round);
  // Putting rounds together takes time that the next item is measured in: only what is shown. What is measured among
  // the operators is shown with the stream.
  const bool last = round + 1 >= drive.rounds.of(item) && !is_stream_among_operators(item);
  drive.watcher.finished(item, last ? combined(drive.rounds_of(opened, item), {}) : of_round.rows, last);
}

void RunDriver::note_loss(const OpenedDevice& opened, const ItemInfo& lost, const std::string& failure, Drive& drive) {
  drive.result.notes.push_back(fmt::format("{} on {}: {}", lost.id(), opened.device.id, failure));
  drive.journal.add_note(drive.result.notes.back());
}

void RunDriver::start_worker(OpenedDevice& opened) {
  opened.session = Session(opened.session.candidate());
  plan(opened);
}

void RunDriver::plan(OpenedDevice& opened) {
  opened.items = opened.session.open(opened.device, request_of(opened.device));
  keep_planned(opened);
}

void RunDriver::keep_planned(OpenedDevice& opened) const {
  if (!only_) return;
  std::erase_if(opened.items.items, [&](const ItemInfo& item) {
    const std::string& row = is_stream_among_operators(item) ? id_of_stream(item) : item.id();
    return !only_->contains(journal_key(opened.device.id, row));
  });
}

void RunDriver::restart(OpenedDevice& opened, Drive& drive) {
  try {
    start_worker(opened);
  } catch (const InterruptedError&) {
    throw;
  } catch (const std::runtime_error& error) {  // the next round says so of its items
    drive.watcher.note(fmt::format("no new worker could be started: {}", error.what()));
  }
}

}  // namespace gable::worker
