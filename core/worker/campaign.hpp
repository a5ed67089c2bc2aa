#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/result/journal.hpp"
#include "core/result/result.hpp"
#include "core/worker/session.hpp"

namespace gable::worker {

/// What is told while a campaign runs; every method may do nothing.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Work ahead: items and their expected seconds, over all devices.
  virtual void planned(int items, double expected_s) = 0;
  virtual void begun(const ItemInfo& item) = 0;
  virtual void finished(const ItemInfo& item, const std::vector<Row>& rows) = 0;
  virtual void note(const std::string& text) = 0;
};

/// A run over one or several devices, each in a worker process of its own: opens them, waits until all stand at the
/// start barrier, drives them one after another, journals every finished item, and survives a worker that crashes or
/// hangs by recording the item it was in and going on with a new process.
class Campaign {
 public:
  /// `sessions` are started workers; `devices` the ids to measure (all that were found, if empty). Throws Error naming
  /// an unknown device.
  Campaign(std::vector<Session> sessions, const std::vector<std::string>& devices, Request request);
  /// Goes on with the devices of a journal, and no others. Throws Error naming one that is gone, or is another now.
  Campaign(std::vector<Session> sessions, const std::vector<DeviceInfo>& before, Request request);

  /// Opens every device and waits for it at the barrier. A device whose worker dies meanwhile is left out, and told of
  /// in failures(). Throws Error for bad input.
  void open();
  /// Devices that could not be opened, and why.
  struct Failure {
    DeviceInfo device;
    std::string reason;
  };
  const std::vector<Failure>& failures() const { return failures_; }
  /// Devices that will be measured, as probed, with the worker each runs in.
  struct Station {
    Session session;
    DeviceInfo device;
    Items items;
  };
  const std::vector<Station>& stations() const { return stations_; }

  /// Measures what `done` (journal keys, from a journal read back) does not hold yet; rows go to the journal and the
  /// result. A device that could not be opened has one row, open_item.
  void run(const std::vector<std::string>& done, result::Journal& journal, Result& result, Watcher& watcher);

 private:
  void take(Session session, const std::vector<DeviceInfo>& devices);
  void measure(Station& station, std::vector<ItemInfo> todo, result::Journal& journal, Result& result,
               Watcher& watcher);

  std::vector<Station> stations_;
  std::vector<Failure> failures_;
  Request request_;
};

/// Stands for all items of a device that could not be opened.
inline constexpr std::string_view open_item = "ceiling/overhead/open";

/// Adds rows to the result they belong to.
void add_rows(Result& result, const std::vector<Row>& rows);
/// Key of an item in the journal.
std::string journal_key(const std::string& device, const std::string& item);

}  // namespace gable::worker
