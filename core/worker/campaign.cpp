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

Campaign::Campaign(std::vector<Session> sessions, std::vector<std::string> devices, Request request)
    : request_(std::move(request)) {
  std::string known;
  for (Session& session : sessions) {
    const auto found = session.probe().devices;
    const Candidate candidate = session.candidate();
    bool free = true;  // the process that probed serves its first device, further ones get their own
    for (const DeviceInfo& device : found) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", device.id);
      if (!devices.empty() && std::find(devices.begin(), devices.end(), device.id) == devices.end()) continue;
      stations_.push_back({free ? std::move(session) : Session(candidate), device, {}});
      free = false;
    }
  }
  for (const std::string& id : devices) {
    const bool there =
        std::any_of(stations_.begin(), stations_.end(), [&](const Station& s) { return s.device.id == id; });
    if (!there) throw Error(fmt::format("unknown device '{}'; found: {}", id, known));
  }
}

void Campaign::open() {
  for (Station& station : stations_) station.items = station.session.open(station.device.id, request_);
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
    lose(*lost, failure);
    watcher.note(fmt::format("{}: {}; going on with a new worker", lost->id, failure));
    result.notes.push_back(fmt::format("{} on {}: {}", lost->id, station.device.id, failure));
    if (todo.empty()) return;
    try {
      station.session = Session(station.session.candidate());
      station.items = station.session.open(station.device.id, request_);
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
