#pragma once
#include <cmath>
#include <optional>
#include <vector>

#include "core/enum_names.hpp"

namespace gable {

/// Why sampling ended.
enum class StopReason {
  precise,     ///< all planned blocks were taken, and the interval is narrow
  last_look,   ///< all planned blocks were taken
  time_limit,  ///< the time limit left fewer
};
constexpr auto names_of(StopReason) {
  return names_up_to<StopReason::time_limit>("precise", "last_look", "time_limit");
}

/// How Estimate::value was obtained.
enum class Estimator {
  median,        ///< median over all blocks
  undisturbed,   ///< median over the blocks a covariate independent of the timing calls undisturbed
  mode,          ///< half-sample mode with a block bootstrap
  faster_speed,  ///< median over the blocks of the rounds in which the machine ran at the fastest of two speeds or more
};
constexpr auto names_of(Estimator) {
  return names_up_to<Estimator::faster_speed>("median", "undisturbed", "mode", "faster_speed");
}

/// What else was seen to happen while samples were taken.
struct Disturbance {
  double involuntary_switches{};     ///< context switches per sample, mean
  double sentinel_slowdown{1.0};     ///< median over blocks of sentinel time / its undisturbed time
  double throughput_slowdown{1.0};   ///< median over blocks of throughput ratio / its level; 1 without one
  double preemption_slowdown{1.0};   ///< median over blocks of time / time in which every thread could run
  double most_preemption{1.0};       ///< the same if threads waited one by one; 1 where that is not known to be more
  int disturbed_blocks{};            ///< blocks the covariate calls disturbed
  std::optional<double> stolen_s{};  ///< by a hypervisor during all batches, CPU seconds; nothing where unknown
  double throttled_s{};              ///< that a processor quota stopped the process during all batches
  int moved_blocks{};                ///< in which somebody changed the cpus that a thread may run on
  double waiting_share{};            ///< median over blocks of Block::waiting_share
  bool operator==(const Disturbance&) const = default;
};

/// One block of batches, the unit of the statistics: what its batches have in common is no longer noise between them.
struct Block {
  double figure{};                   ///< median of the batches' figures, in the unit of the quantity
  int batches{};                     ///< batches taken
  double involuntary_switches{};     ///< sum over the batches
  double sentinel_s{};               ///< median over the batches that had a sentinel; 0 if none had
  double throughput_s{};             ///< the same of the piece of independent work
  double preemption{1.0};            ///< median over the batches of time / time in which every thread could run
  double most_preemption{1.0};       ///< the same if threads waited one by one
  std::optional<double> stolen_s{};  ///< sum over the batches, CPU seconds; nothing where unknown
  std::optional<double> clock_hz{};  ///< median over the batches that saw one; nothing if none did
  int round{};                       ///< of the run, from 0: blocks of one round were taken one behind another
  double at_s{};                     ///< when its item's round ended, s since 1970; 0 where unknown
  double throttled_s{};              ///< sum over the batches
  int moved{};                       ///< batches in which somebody changed the cpus of a thread
  double waiting_share{};            ///< of its round, in which the thread that measures waited for a processor
  bool operator==(const Block&) const = default;
};

/// One measured quantity with its uncertainty. Unit is the owner's. Blocks, not samples, are the unit of the
/// statistics: samples within a block are correlated. Intervals are 95 % and absent (nullopt) with fewer than 6 blocks
/// of fewer than 3 rounds.
struct Estimate {
  double value{};                         ///< by `estimator`
  std::optional<double> ci_low, ci_high;  ///< interval of value
  double median{};                        ///< plain median over all blocks
  std::optional<double> median_ci_low, median_ci_high;
  Estimator estimator{Estimator::median};
  int blocks{};                        ///< blocks taken
  int used_blocks{};                   ///< blocks behind value
  std::vector<double> samples;         ///< one figure per block, in the order taken, in the unit of value
  std::vector<int> rounds;             ///< the round of each sample; empty if unknown
  std::vector<double> ended_s;         ///< when each round ended, s since 1970, by ascending round; empty if unknown
  std::vector<int> used_rounds;        ///< those behind value with Estimator::faster_speed, else empty
  std::vector<int> disturbed_samples;  ///< which of the samples the covariate calls disturbed, from 0
  /// What it calls them so by, beside each sample: Block::sentinel_s, throughput_s and preemption. Empty where no block
  /// has any.
  std::vector<double> sentinel_s, throughput_s, preemption;
  /// The samples in which a thread was switched out or moved, or time was stolen, from 0.
  std::vector<int> interrupted_samples;
  std::vector<Block> taken;  ///< the blocks themselves, until all of a run are known; not in result files
  bool saw_faster{};         ///< one or two rounds were far faster than all others; not in result files
  StopReason stop{StopReason::last_look};
  /// Median over the used blocks that saw one, with Estimator::mode those of a slow tail too. A row has it among its
  /// conditions, where files keep it.
  std::optional<double> clock_hz;
  Disturbance seen;

  /// Ends of the interval of value; value itself where there is none.
  double low() const { return ci_low.value_or(value); }
  double high() const { return ci_high.value_or(value); }
};

/// One figure alone, without an interval.
inline Estimate single_figure(double value) {
  Estimate estimate;
  estimate.value = estimate.median = value;
  estimate.blocks = estimate.used_blocks = 1;
  estimate.samples = {value};
  return estimate;
}

/// Whether more than half of the blocks were disturbed, or the value had to be found among blocks with a slow tail or
/// of several speeds.
inline bool was_disturbed(const Estimate& estimate) {
  return estimate.estimator == Estimator::mode || estimate.estimator == Estimator::faster_speed ||
         2 * estimate.seen.disturbed_blocks > estimate.blocks;
}
/// Half the 95 % interval over the value, %; nothing without either.
inline std::optional<double> half_interval_percent(const Estimate& estimate) {
  if (!std::isfinite(estimate.value) || !(estimate.value > 0) || !estimate.ci_low || !estimate.ci_high) return {};
  return 50 * (*estimate.ci_high - *estimate.ci_low) / estimate.value;
}

}  // namespace gable
