#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "core/worker/run_driver.hpp"

namespace gable::worker {

/// Further rounds of a run, at most. Each is planned to take a 24th of the budget or more, and most take less.
inline constexpr int most_further = 48;
inline constexpr double least_of_the_budget = 1.0 / 24;

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
  /// Whether nothing is left to do for it in a round.
  bool done(const OpenedDevice& opened, const ItemInfo& item, int round) {
    const auto& seen = of(opened, item);
    if (seen.empty()) return false;
    const bool planned = round < rounds.count;
    return (planned && round >= rounds.of(item)) || item.expected_s <= 0 || failed(seen) ||
           std::ranges::count(seen, round, &RoundRows::round) > 0;
  }
  /// The rows of a device so far, in the order of the plan.
  std::vector<Row> rows(const OpenedDevice& opened) {
    std::vector<const std::vector<RoundRows>*> all;
    for (const ItemInfo& item : opened.items.items) all.push_back(&of(opened, item));
    const auto& memory = opened.device.memory;
    const auto around = surroundings(all, memory.empty() ? "" : memory.back().name);
    std::vector<Row> rows;
    for (const auto* of_item : all) {
      if (of_item->empty()) continue;
      for (Row& row : combined(*of_item, around)) rows.push_back(std::move(row));
    }
    return rows;
  }
};

}  // namespace gable::worker
