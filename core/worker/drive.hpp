#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/result/journal.hpp"
#include "core/result/result.hpp"
#include "core/worker/combine_rounds.hpp"
#include "core/worker/rounds.hpp"
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
