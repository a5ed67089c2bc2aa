#include "core/worker/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/worker/item_id.hpp"

namespace gable::worker {

std::string journal_key(const std::string& device, const std::string& item) { return device + "/" + item; }

void add_rows(Result& result, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (const auto* ceiling = std::get_if<Ceiling>(&row)) result.ceilings.push_back(*ceiling);
    if (const auto* curve = std::get_if<Curve>(&row)) result.curves.push_back(*curve);
    if (const auto* point = std::get_if<Point>(&row)) result.points.push_back(*point);
  }
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

void Campaign::take(Session session, const std::vector<DeviceInfo>& devices) {
  const Candidate candidate = session.candidate();
  bool free = true;  // the process that probed serves its first device, further ones get their own
  for (const DeviceInfo& device : devices) {
    stations_.push_back({free ? std::move(session) : start_again(candidate), device, {}});
    free = false;
  }
}

Campaign::Campaign(std::vector<Session> sessions, const std::vector<std::string>& devices, Request request)
    : request_(std::move(request)) {
  std::string known;
  std::vector<std::string> missing = devices;
  for (Session& session : sessions) {
    std::vector<DeviceInfo> wanted;
    for (const DeviceInfo& device : session.probe().devices) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", device.id);
      if (devices.empty() || std::erase(missing, device.id) > 0) wanted.push_back(device);
    }
    take(std::move(session), wanted);
  }
  if (!missing.empty()) throw Error(fmt::format("unknown device '{}'; found: {}", missing.front(), known));
}

Campaign::Campaign(std::vector<Session> sessions, const std::vector<DeviceInfo>& before, Request request)
    : request_(std::move(request)) {
  std::vector<DeviceInfo> missing = before;
  for (Session& session : sessions) {
    std::vector<DeviceInfo> wanted;
    for (const DeviceInfo& now : session.probe().devices) {
      const auto device = std::ranges::find(missing, now.id, &DeviceInfo::id);
      if (device == missing.end()) continue;
      if (now.name != device->name || now.cores != device->cores) {
        throw Error(fmt::format("--resume: the journal was measured on {} ({} cores), this is {} ({} cores)",
                                device->name, device->cores, now.name, now.cores));
      }
      wanted.push_back(*device);
      missing.erase(device);
    }
    take(std::move(session), wanted);
  }
  if (missing.empty()) return;
  throw Error(
      fmt::format("--resume: device '{}' ({}) of the journal is not here", missing.front().id, missing.front().name));
}

void Campaign::open() {
  std::vector<Station> opened;
  for (Station& station : stations_) {
    try {
      station.items = station.session.open(station.device, request_);
      opened.push_back(std::move(station));
    } catch (const Error&) {
      throw;
    } catch (const InterruptedError&) {
      throw;
    } catch (const std::runtime_error& error) {
      failures_.push_back({station.device, error.what()});
    }
  }
  stations_ = std::move(opened);
}

void Campaign::run(const std::vector<std::string>& done, result::Journal& journal, Result& result, Watcher& watcher) {
  std::vector<std::vector<ItemInfo>> todo;
  int count = 0;
  double expected_s = 0;
  for (const Station& station : stations_) {
    auto& mine = todo.emplace_back();
    for (const ItemInfo& item : station.items.items) {
      if (std::find(done.begin(), done.end(), journal_key(station.device.id, item.id)) != done.end()) continue;
      mine.push_back(item);
      expected_s += item.expected_s;
      ++count;
    }
  }
  for (const Failure& failure : failures_) {
    Row row = outcome_row(open_item, failure.device.id, Status::error, failure.reason);
    set_scope(row, request_.scope, request_.threads);
    journal.add_item(journal_key(failure.device.id, std::string(open_item)), {row});
    add_rows(result, {row});
    watcher.note(fmt::format("{} is left out: {}", failure.device.id, failure.reason));
  }
  watcher.planned(count, expected_s);
  for (std::size_t i = 0; i < stations_.size(); ++i)
    measure(stations_[i], std::move(todo[i]), journal, result, watcher);
}

void Campaign::measure(Station& station, std::vector<ItemInfo> todo, result::Journal& journal, Result& result,
                       Watcher& watcher) {
  const auto record = [&](const ItemInfo& item, std::vector<Row> rows) {
    journal.add_item(journal_key(station.device.id, item.id), rows);
    add_rows(result, rows);
    watcher.finished(item, rows);
    todo.erase(todo.begin());
  };
  const auto lose = [&](const ItemInfo& item, const std::string& why) {
    Row row = outcome_row(item.id, station.device.id, Status::error, why);
    set_scope(row, request_.scope, station.items.threads);
    record(item, {row});
  };
  const Session::Events events{[&](const ItemInfo& item) { watcher.begun(item); }, record};
  while (!todo.empty()) {
    std::string failure;
    const auto lost = station.session.drive(std::vector<ItemInfo>(todo), events, failure);
    if (!lost) return;
    result.notes.push_back(fmt::format("{} on {}: {}", lost->id, station.device.id, failure));
    journal.add_note(result.notes.back());
    lose(*lost, failure);
    watcher.note(fmt::format("{}: {}; going on with a new worker", lost->id, failure));
    if (todo.empty()) return;
    try {
      station.session = Session(station.session.candidate());
      station.items = station.session.open(station.device, request_);
    } catch (const InterruptedError&) {
      throw;
    } catch (const std::runtime_error& error) {
      failure = fmt::format("no new worker could be started: {}", error.what());
      while (!todo.empty()) {
        const ItemInfo item = todo.front();
        lose(item, failure);
      }
    }
  }
}

}  // namespace gable::worker
