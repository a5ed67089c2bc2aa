#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/measure/disturbance.hpp"
#include "core/result/journal.hpp"

namespace gable::worker {

using result::RoundRows;

/// Says of the blocks of these rows which round took them.
void set_round(std::vector<Row>& rows, int round);

/// The rows of an item out of those of its rounds, which are not empty: figures out of the blocks of all of them
/// (measure::estimate()), what the machine said of itself as the median over the rounds, curves point by point. Rounds
/// without a figure (no time, a worker that died) stand for the item only where no other has one. `throughput_baseline`
/// is that of the run. A figure beyond physics, one without an interval, and one of a core that somebody else had a
/// part of throughout make the row suspect.
std::vector<Row> combined(std::span<const RoundRows> rounds, std::optional<double> throughput_baseline,
                          std::string_view main_memory = "DRAM");

/// Level of the sentinel's throughput over everything that these rounds measured (disturbance.hpp).
std::optional<double> throughput_baseline(std::span<const std::vector<RoundRows>* const> rounds);

/// Whether a worker said that an item cannot be measured, or died of it: further rounds would be the same.
bool failed(std::span<const RoundRows> rounds);

/// Whether a row should be measured in one more round: it has no figure for want of time or quiet, or a wide interval.
bool wants_another_round(const Row& row, Mode mode);

}  // namespace gable::worker
