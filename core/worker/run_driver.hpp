#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/answer.hpp"
#include "core/result/journal.hpp"
#include "core/result/result.hpp"
#include "core/worker/drive.hpp"
#include "core/worker/schedule.hpp"
#include "core/worker/session.hpp"

namespace gable::worker {

/// A run over one or several devices, each in a worker process of its own: opens them, waits until all stand at the
/// start barrier, and drives them one after another in rounds (drive()).
///
/// A concurrent run (Request::concurrent) goes over its groups instead: in every round each device measures its row
/// alone, one after another, and then all of them theirs together, so that a drift changes both alike.
class RunDriver {
 public:
  /// `sessions` are started workers; `devices` the ids to measure (all that were found, if empty). A concurrent run
  /// takes a CPU in the parts of the scope (device_parts.hpp), and with the scope node as a whole where a GPU takes
  /// part, else in its largest_parts(). Throws Error naming an unknown device, or if a concurrent run has but one.
  RunDriver(std::vector<Session> sessions, const std::vector<std::string>& devices, Request request);
  /// Goes on with the devices of a journal or result, and no others. Throws Error naming one that is gone, or is
  /// another now.
  RunDriver(std::vector<Session> sessions, const std::vector<DeviceInfo>& before, Request request);

  /// Plans these items and no others, by journal key. To be called before open().
  void plan_only(std::set<std::string> keys) { only_ = std::move(keys); }
  /// Opens every device and waits for it at the barrier. A device whose worker dies meanwhile is left out, and told of
  /// in failures(). Throws Error for bad input.
  void open();
  /// Devices that could not be opened, and why.
  struct Failure {
    DeviceInfo device;
    std::string reason;
  };
  const std::vector<Failure>& failures() const { return failures_; }
  /// The devices that will be measured.
  const std::vector<OpenedDevice>& devices() const { return devices_; }
  /// A result names one build of each worker, so rows of two builds must not be attributed to one. Throws Error if a
  /// worker is another build than the one that began the run.
  void check_same_builds(const Result& begun) const;

  /// The devices, and what of the plan `done` does not hold yet, with the seconds of all rounds that are left of it.
  Answer left_to_measure(const MeasuredRounds& done, const Rounds& rounds) const;
  /// Measures what `done` (from a journal read back) does not hold yet; the rows of a round go to the journal, all to
  /// the result in the order of the plan. A device that could not be opened has one row, opening_row().
  void run(MeasuredRounds done, const Rounds& rounds, result::Journal& journal, Result& result, Watcher& watcher);

 private:
  /// What of a device that was found is to be measured, with what is known of it; nothing for others.
  using Pick = std::function<std::optional<DeviceInfo>(const DeviceInfo& found)>;
  void take(std::vector<Session> sessions, bool with_gpu, const Pick& pick);
  std::vector<DeviceInfo> devices_to_measure(const Session& session, bool with_gpu);
  void plan(OpenedDevice& opened);
  void keep_planned(OpenedDevice& opened) const;
  void keep_concurrent_items();
  std::vector<Schedule> schedules() const;

  std::vector<OpenedDevice> devices_;
  std::vector<Failure> failures_;
  Request request_;
  std::optional<std::set<std::string>> only_;
};

/// Stands for all items of a device that could not be opened.
Ceiling opening_row(const DeviceInfo& device, const Request& request);

/// Journal keys of the rows that are suspect, skipped or in error.
std::set<std::string> without_figure(const Result& result);
/// Puts fresh rows that have a figure in the place of those of the same device and id. Returns how many.
int replace_rows(Result& result, const Result& fresh);

}  // namespace gable::worker
