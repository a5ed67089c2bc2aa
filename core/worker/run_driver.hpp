#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/model/answer.hpp"
#include "core/result/journal.hpp"
#include "core/result/result.hpp"
#include "core/worker/combine_rounds.hpp"
#include "core/worker/session.hpp"

namespace gable::worker {

struct ConcurrentGroup;

/// What is told while a run goes on; every method may do nothing.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Work ahead: items and their expected seconds, over all devices.
  virtual void planned(int items, double expected_s) = 0;
  /// Round `round`, from 1, of `rounds`; those behind them measure again what has no good figure yet.
  virtual void round(int round, int rounds, int items) = 0;
  virtual void begun(const ItemInfo& item) = 0;
  /// From its last planned round on (`last`) what the item's rounds say together, before that what the round yielded.
  virtual void finished(const ItemInfo& item, const std::vector<Row>& rows, bool last) = 0;
  virtual void note(const std::string& text) = 0;
};

/// Rows of a result, by id, that are worth a further round.
struct Doubtful {
  std::set<std::string> without_figure;  ///< they would end suspect or skipped, or contradict others
  std::set<std::string> imprecise;
  std::set<std::string> basic;  ///< of those without a figure, the roofs that most verdicts rest on
};

/// How a run goes over its items. Every item is measured once a round, so that a brief disturbance is spread over all
/// rows. The first round keeps the plan's order, the others shuffle the
/// ceilings, then the operators with the streams among them. Then rows without a good figure are measured in further
/// rounds while the budget lasts: basic roofs without any first while less than half of it is spent, then all those
/// without any in every round, and those that are imprecise in every second, and in all when there are no others. A
/// round that would take less than a 24th of the budget takes others of them along.
struct Rounds {
  int count{3};
  int of_a_curve{1};       ///< how many of them measure a curve, which has no interval that more would narrow
  int of_another_size{3};  ///< the same of a library's product in another size than its ceiling's, which is no roof
  int of_a_long_item{3};   ///< the same of an item that takes half a second a round
  std::uint64_t seed{1};   ///< of the orders
  /// s for each device: no further round is begun with less left, and there are at most 48; nothing: `further` of the
  /// time planned.
  std::optional<double> retry_budget_s{};
  double further{1};
  std::function<Doubtful(const Result&)> doubtful{};  ///< empty: no further rounds

  /// How many of the rounds planned measure an item: one of a row that is known beforehand (not supported here),
  /// `of_a_curve` of a curve, `of_another_size` of a library's compute row with a variant, `of_a_long_item` of one that
  /// takes half a second or more a round, all of others.
  int of(const ItemInfo& item) const;
};

/// A quick run has 3 rounds and as long again for further ones, a full one 5 and a fifth of their time: 4 of a long
/// item, and 2 of a library's product in another size, whose ten blocks are enough for an interval.
Rounds rounds_of(Mode mode);

/// A run over one or several devices, each in a worker process of its own: opens them, waits until all stand at the
/// start barrier, drives them one after another in rounds, journals every round of an item, and survives a worker that
/// crashes or hangs by recording the item it was in and going on with a new process.
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
  /// A device that will be measured, as probed, with the worker it runs in and what that plans for it.
  struct OpenedDevice {
    Session session;
    DeviceInfo device;
    Items items;
  };
  const std::vector<OpenedDevice>& devices() const { return devices_; }
  /// A result names one build of each worker, so rows of two builds must not be attributed to one. Throws Error if a
  /// worker is another build than the one that began the run.
  void check_same_builds(const Result& begun) const;

  /// The rows of the finished rounds of each item, by journal key.
  using MeasuredRounds = std::map<std::string, std::vector<RoundRows>>;
  /// The devices, and what of the plan `done` does not hold yet, with the seconds of all rounds that are left of it.
  Answer left_to_measure(const MeasuredRounds& done, const Rounds& rounds) const;
  /// Measures what `done` (from a journal read back) does not hold yet; the rows of a round go to the journal, all to
  /// the result in the order of the plan. A device that could not be opened has one row, opening_row().
  void run(MeasuredRounds done, const Rounds& rounds, result::Journal& journal, Result& result, Watcher& watcher);

 private:
  struct Drive;
  std::vector<DeviceInfo> devices_to_measure(const Session& session, bool with_gpu);
  void take(Session session, const std::vector<DeviceInfo>& devices);
  Request request_of(const DeviceInfo& device) const;
  void measure(OpenedDevice& opened, Drive& drive);
  void measure(OpenedDevice& opened, std::span<const ItemInfo> todo, int round, Drive& drive);
  /// Adds the streams among operators that were not measured for a second: operators are compared with them.
  void add_streams(std::vector<ItemInfo>& todo, const OpenedDevice& opened, int round, Drive& drive) const;
  void record(const OpenedDevice& opened, const ItemInfo& item, std::vector<Row> rows, int round, Drive& drive);
  void note_loss(const OpenedDevice& opened, const ItemInfo& lost, const std::string& failure, Drive& drive);
  std::vector<ConcurrentGroup> groups() const;
  void keep_concurrent_items();
  void measure_groups(Drive& drive);
  void measure_groups(std::vector<const ConcurrentGroup*> todo, int round, Drive& drive);
  void measure_group(const ConcurrentGroup& group, int round, Drive& drive);
  void start_worker(OpenedDevice& opened);
  void restart(OpenedDevice& opened, Drive& drive);
  void plan(OpenedDevice& opened);
  void keep_planned(OpenedDevice& opened) const;

  std::vector<OpenedDevice> devices_;
  std::vector<Failure> failures_;
  Request request_;
  std::optional<std::set<std::string>> only_;
};

/// Stands for all items of a device that could not be opened.
Ceiling opening_row(const DeviceInfo& device, const Request& request);

/// Adds rows to the result they belong to.
void add_rows(Result& result, const std::vector<Row>& rows);
/// Key of an item in the journal.
std::string journal_key(const std::string& device, const std::string& item);
/// Journal keys of the rows that are suspect, skipped or in error.
std::set<std::string> without_figure(const Result& result);
/// Puts fresh rows that have a figure in the place of those of the same device and id. Returns how many.
int replace_rows(Result& result, const Result& fresh);

}  // namespace gable::worker
