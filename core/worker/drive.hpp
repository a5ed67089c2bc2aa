#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/row_item.hpp"
#include "core/worker/run_driver.hpp"

namespace gable::worker {

/// Further rounds of a run, at most. Each is planned to take a 24th of the budget or more, and most take less.
inline constexpr int most_further = 48;
inline constexpr double least_of_the_budget = 1.0 / 24;

inline bool is_stream_among_operators(const ItemInfo& item) {
  const auto* row = std::get_if<Ceiling>(&item.planned);
  return row != nullptr && is_among_operators(*row);
}
/// Of such an item: the id of the stream that it measures once more.
inline std::string id_of_stream(const ItemInfo& among_operators) {
  auto row = std::get<Ceiling>(among_operators.planned);
  row.variant.clear();
  return ceiling_id(row);
}

/// What all devices of a run share.
struct RunDriver::Drive {
  MeasuredRounds measured;
  const Rounds& rounds;
  result::Journal& journal;
  Result& result;
  Watcher& watcher;

  std::vector<RoundRows>& of(const OpenedDevice& opened, const ItemInfo& item) {
    return measured[journal_key(opened.device.id, item.id())];
  }
  /// When the stream of an item among the operators was last measured, there or among the ceilings, s since 1970; 0 if
  /// it was not.
  double stream_ended_s(const OpenedDevice& opened, const ItemInfo& among_operators) {
    double last_s = 0;
    for (const std::string& id : {among_operators.id(), id_of_stream(among_operators)}) {
      const auto& seen = measured[journal_key(opened.device.id, id)];
      if (!seen.empty()) last_s = std::max(last_s, ended_s(seen.back()));
    }
    return last_s;
  }
  /// Whether nothing is left to do for it in a round.
  bool done(const OpenedDevice& opened, const ItemInfo& item, int round) {
    const auto& seen = of(opened, item);
    if (is_stream_among_operators(item) && failed(measured[journal_key(opened.device.id, id_of_stream(item))]))
      return true;
    if (seen.empty()) return false;
    const bool planned = round < rounds.count;
    return (planned && round >= rounds.of(item)) || item.expected_s <= 0 || failed(seen) ||
           std::ranges::count(seen, round, &RoundRows::round) > 0;
  }
  /// The rounds of a device so far, in the order of the plan. Those of a stream among the operators belong to the
  /// stream; not where the stream itself failed, whose row says why.
  std::vector<std::vector<RoundRows>> rounds_of(const OpenedDevice& opened) {
    std::map<std::string, const std::vector<RoundRows>*> again;  // by the id of the stream
    for (const ItemInfo& item : opened.items.items) {
      if (is_stream_among_operators(item)) again[id_of_stream(item)] = &of(opened, item);
    }
    std::vector<std::vector<RoundRows>> all;
    for (const ItemInfo& item : opened.items.items) {
      if (is_stream_among_operators(item)) continue;
      const auto more = again.find(item.id());
      const bool alone = more == again.end() || failed(of(opened, item));
      all.push_back(alone ? of(opened, item) : joined(of(opened, item), *more->second, item.id()));
    }
    return all;
  }
  /// The rows of a device so far, in the order of the plan.
  std::vector<Row> rows(const OpenedDevice& opened) {
    const auto all = rounds_of(opened);
    const auto& memory = opened.device.memory;
    const auto around = surroundings(all, memory.empty() ? "" : memory.back().name);
    std::vector<Row> rows;
    for (const auto& of_item : all) {
      if (of_item.empty()) continue;
      for (Row& row : combined(of_item, around)) rows.push_back(std::move(row));
    }
    return rows;
  }
};

}  // namespace gable::worker
