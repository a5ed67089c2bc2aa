#pragma once
#include <algorithm>
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
inline std::string id_of_stream(const ItemInfo& again) { return ceiling_id_with(std::get<Ceiling>(again.planned), ""); }

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
  double stream_ended_s(const OpenedDevice& opened, const ItemInfo& again) {
    double last_s = 0;
    for (const std::string& id : {again.id(), id_of_stream(again)}) {
      for (const RoundRows& of_round : measured[journal_key(opened.device.id, id)])
        last_s = std::max(last_s, ended_s(of_round));
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
  /// The rounds of an item so far; of a stream of main memory those among the operators too, unless it failed before it
  /// had a figure: then its row says why.
  std::vector<RoundRows> rounds_of(const OpenedDevice& opened, const ItemInfo& item) {
    const auto& own = of(opened, item);
    const auto* row = std::get_if<Ceiling>(&item.planned);
    if (row == nullptr || !row->variant.empty()) return own;
    const std::string among = ceiling_id_with(*row, std::string(among_operators));
    const auto again = measured.find(journal_key(opened.device.id, among));
    const auto is_ok = [](const RoundRows& of_round) {
      return std::ranges::any_of(of_round.rows, [](const Row& one) { return status_of(one) == Status::ok; });
    };
    const bool is_lost = failed(own) && std::ranges::none_of(own, is_ok);
    if (again == measured.end() || is_lost) return own;
    return joined_rounds(own, again->second, item.id());
  }
  /// The rows of a device so far, in the order of the plan.
  std::vector<Row> rows(const OpenedDevice& opened) {
    std::vector<std::vector<RoundRows>> all;
    for (const ItemInfo& item : opened.items.items) {
      if (!is_stream_among_operators(item)) all.push_back(rounds_of(opened, item));
    }
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
