#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/measure/two_speeds.hpp"
#include "core/result/journal.hpp"

namespace gable::worker {

using result::RoundRows;

/// Says of the blocks of these rows which round took them, and when it ended (s since 1970; 0: unknown).
void set_round(std::vector<Row>& rows, int round, double at_s);

/// When a round of an item ended, s since 1970; 0 where it has no blocks or that is unknown.
double ended_s(const RoundRows& of_round);

/// The rounds of a stream of main memory, and those in which it was measured `again` among the operators, as rounds of
/// the row with this id: in the order in which they ended, those with blocks numbered so from 0, without a variant.
std::vector<RoundRows> joined_rounds(std::span<const RoundRows> rounds, std::span<const RoundRows> again,
                                     const std::string& id);

/// What the rows of a device say of the run, by which each is judged.
struct Surroundings {
  std::optional<double> throughput_baseline{};  ///< level of the sentinel's throughput (disturbance.hpp)
  /// When ceilings ran at which of their speeds (two_speeds.hpp): of arithmetic ("compute"), and of each level of
  /// memory by its name.
  std::map<std::string, std::vector<measure::Moment>> moments{};
  std::string main_memory{};                  ///< the name of that level
  std::optional<double> memory_byte_per_s{};  ///< what its streams gave, the median of their blocks
};

/// Those of everything that these rounds measured.
Surroundings surroundings(std::span<const std::vector<RoundRows>> rounds, std::string main_memory);

/// The rows of an item out of those of its rounds, which are not empty: figures out of the blocks of all of them
/// (measure::estimate()), what the machine said of itself as the median over the rounds, curves point by point. Rounds
/// without a figure (no time, a worker that died) stand for the item only where no other has one. A figure beyond
/// physics, one without an interval, one of threads that were held back, and a ceiling of a core that somebody else had
/// a part of throughout make the row suspect.
std::vector<Row> combined(std::span<const RoundRows> rounds, const Surroundings& around);

/// Whether a worker said that an item cannot be measured, or died of it: further rounds would be the same.
bool failed(std::span<const RoundRows> rounds);

/// Whether the last three rounds, none before `first`, gave the same figures, within 0.3 %, and nothing disturbed them.
bool say_the_same(std::span<const RoundRows> rounds, int first);

/// Whether a row should be measured in one more round: it has no figure for want of time or quiet, or a wide interval.
bool wants_another_round(const Row& row, Mode mode);

/// Whether a row has a figure that more rounds would not make more certain.
bool is_certain(const Row& row, Mode mode);

}  // namespace gable::worker
