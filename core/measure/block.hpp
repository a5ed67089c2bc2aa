#pragma once
#include <optional>

namespace gable::measure {

/// One block of batches, the unit of the statistics: what its batches have in common is no longer noise between them.
struct Block {
  double figure{};                   ///< median of the batches' figures, in the unit of the quantity
  int batches{};                     ///< batches taken
  double involuntary_switches{};     ///< sum over the batches
  double sentinel_s{};               ///< median over the batches that had a sentinel; 0 if none had
  double throughput_s{};             ///< the same of the piece of independent work
  std::optional<double> stolen_s{};  ///< sum over the batches, CPU seconds; nothing where unknown
  std::optional<double> clock_hz{};  ///< median over the batches that saw one; nothing if none did
  int round{};                       ///< of the run, from 0: blocks of one round were taken one behind another
  bool operator==(const Block&) const = default;
};

}  // namespace gable::measure
