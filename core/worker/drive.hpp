#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result/journal.hpp"
#include "core/result/result.hpp"
#include "core/worker/combine_rounds.hpp"
#include "core/worker/schedule.hpp"
#include "core/worker/session.hpp"

namespace gable::worker {

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

/// How a run goes over a schedule. Every step is measured once a round, so that a brief disturbance is spread over all
/// rows. The first round keeps the plan's order, the others shuffle the ceilings, then the operators with the streams
/// among them. Then steps of rows without a good figure are measured in further rounds while the budget lasts: basic
/// roofs without any first while less than half of it is spent, then all those without any in every round, and those
/// that are imprecise in every second, and in all when there are no others. A round that would take less than a 24th of
/// the budget takes others of them along.
struct Rounds {
  int count{3};
  int of_a_curve{1};       ///< how many of them measure a curve that is no ladder: it has no interval
  int of_another_size{3};  ///< the same of a library's product in another size than its ceiling's, which is no roof
  int of_a_long_item{3};   ///< the same of an item that takes half a second a round
  std::uint64_t seed{1};   ///< of the orders
  /// s for each schedule: no further round is begun with less left, and there are at most 48; nothing: `further` of the
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

/// A device that is measured, as probed, with the worker it runs in, and what that was asked and plans for it.
struct OpenedDevice {
  Session session;
  DeviceInfo device;
  Request request;
  Items items;
};

/// The rows of the finished rounds of each item, by journal key.
using MeasuredRounds = std::map<std::string, std::vector<RoundRows>>;
/// Key of an item in the journal.
std::string journal_key(const std::string& device, const std::string& item);
/// Adds rows to the result they belong to.
void add_rows(Result& result, const std::vector<Row>& rows);

/// Of such an item of the plan: it measures a stream of main memory once more, among the operators.
bool is_stream_among_operators(const ItemInfo& item);
/// Of such an item: the id of the stream.
std::string id_of_stream(const ItemInfo& again);

/// Measures one schedule after another, each in all its rounds, and journals what an item yields in a round. Goes on
/// from what is `done` (of a journal read back). A worker that crashes or hangs costs the item it was in, and a new
/// process goes on; what became of it goes to the notes of the result. At last all rows go to the result, in the order
/// of the plan.
void drive(const std::vector<Schedule>& schedules, std::vector<OpenedDevice>& devices, MeasuredRounds done,
           const Rounds& rounds, result::Journal& journal, Result& result, Watcher& watcher);

}  // namespace gable::worker
