#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/disturbance.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/two_speeds.hpp"
#include "core/model/estimate.hpp"

namespace gable::measure {

/// Probability with which an interval may miss the true value.
inline constexpr double allowed_miss = 0.05;

/// What estimate() has to know of the blocks.
struct EstimateOptions {
  bool larger_is_slower{};                      ///< figures are times
  bool ceiling{};                               ///< interference only slows: a slow tail makes the value a mode
  bool fastest_speed{};                         ///< and of two speeds or more the fastest is the value
  std::optional<double> throughput_baseline{};  ///< of the whole run (disturbance.hpp)
  /// Whether the work needs the core's throughput. What waits for main memory or for a launch does not: a neighbour on
  /// the other hardware thread of the core costs it little, so the throughput sentinel is ignored.
  bool core_bound{true};
  /// When rows that need the same of the machine (arithmetic, or a level of memory) ran at which of their speeds.
  std::span<const Moment> others{};
  std::uint64_t seed{1};  ///< of the bootstrap
};

/// What the blocks of one or several rounds say together; all but Estimate::stop. Throws Error if there are none.
///
/// Value: blocks are called disturbed by what was seen beside the timing (classify() in disturbance.hpp), never by the
/// timing. If some are and at least 6 are not, the value is the median of those that are not (Estimator::undisturbed),
/// else of all (Estimator::median). If the rounds of a ceiling so chosen ran at two speeds or more (two_speeds.hpp), it
/// is the median of the fastest ones (Estimator::faster_speed): a ceiling is what the machine can do, and at least
/// three rounds agree that it can. This leaves out whole rounds for being slow; they stay in the samples. Otherwise, if
/// its blocks still show a slow tail (has_slow_tail()), it is their half-sample mode (Estimator::mode).
///
/// Interval, 95 %: that of the blocks (order statistics, or a moving-block bootstrap of the mode, both wider the
/// stronger consecutive blocks are correlated), widened to hold that of the rounds: between_rounds(), of a mode the
/// percentiles over rounds drawn with replacement (cluster bootstrap). It holds the medians of all rounds at the
/// fastest of several speeds (two_speeds.hpp), which no gap tells from the others. With fewer than 6 blocks it is that
/// of the rounds only; nothing where there is neither. On the fast side it reaches to what the figure would be without
/// what a shared core, or the moments in which `others` ran slowly too, took from every one of these blocks.
Estimate estimate(std::span<const Block> blocks, const EstimateOptions& options);

/// The figures of each round, each of the round beside it, without those of these indices; a round that is left with
/// none is there all the same.
std::map<int, std::vector<double>> by_round(std::span<const double> figures, std::span<const int> rounds,
                                            std::span<const int> left_out = {});
/// The median of each round's figures, by ascending round.
std::vector<double> medians_of_rounds(std::span<const double> figures, std::span<const int> rounds);

/// Interval of the centre that rounds scatter around: Student's t of the logarithms of their medians, from three rounds
/// on. Blocks of a round share a few hundred milliseconds of the machine, its clock, its neighbours and often its
/// memory's pages: rounds, some seconds apart, are what differs from one measurement to the next (batch means: Law,
/// Simulation Modeling and Analysis, 5th ed., section 9.5.3). figures: positive, each of the round beside it.
std::optional<Interval> between_rounds(std::span<const double> figures, std::span<const int> rounds,
                                       double miss = allowed_miss);

/// Indices of the samples that the value rests on: all, or those of Estimate::used_rounds; and of these all, or those
/// that were not disturbed. The estimate has to say which were; where it has used_rounds, every sample needs its round.
std::vector<std::size_t> used_samples(const Estimate& estimate);

/// Whether the covariate calls most blocks disturbed and too few are left to rest on.
bool rests_on_disturbed_blocks(const Estimate& estimate);

/// Loss of throughput, or of processor time, from which a figure that rests on disturbed blocks is that of another
/// machine.
inline constexpr double shared_core_slowdown = 1.25;
/// Whether it rests on blocks whose core somebody else had a large part of. Below that the interval holds the loss.
bool shared_its_core(const Estimate& estimate);
/// Share of its rounds that the thread which measures may wait for a processor: up to 0.25 beside bursts that take a
/// fifth of the time, half beside one other program a CPU. Then blocks that nobody interrupted are slow as well, by up
/// to a third: others had the caches before them.
inline constexpr double most_waiting_share = 0.3;
/// Whether it rests on blocks in which a thread with work did not run for a large part of the time, whatever kept it
/// from that, or were moved to other cpus; or was measured while others had the processors. Its blocks may agree with
/// each other and say nothing of the machine.
bool was_held_back(const Estimate& estimate);
/// Of the time, how much of it a thread with work did not run.
double share_held_back(const Disturbance& seen);
/// How the words begin.
inline constexpr std::string_view held_back_prefix = "held back: ";
/// By what, for people, of an estimate that was: "held back: a thread with work did not run for 80 % …".
std::string held_back_words(const Estimate& estimate);

/// Whether another round is worth its time: the value rests on a shared core, or on undisturbed blocks of one round
/// only; one or two rounds were far faster than all others; it has no interval, or one wider than ± `half_width` of it.
bool wants_another_round(const Estimate& estimate, double half_width);

}  // namespace gable::measure
