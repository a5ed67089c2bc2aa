#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/estimate.hpp"

namespace gable::measure {

/// Time that a hypervisor has kept these cpus from running although they had work ("steal" in /proc/stat, see proc(5)),
/// since the boot, CPU seconds: the sum over the cpus, or of the whole system where the span is empty or one of them
/// has no line. In steps of 10 ms on most systems. Nothing where the system does not tell. `root` replaces "/" in
/// tests.
std::optional<double> stolen_s(std::span<const int> cpus = {}, const std::string& root = "/");

/// What was stolen from some cpus while a piece of work ran. A reading takes some 10 µs with a few cpus.
class StealWatch {
 public:
  /// The cpus must outlive it; none: the whole system.
  explicit StealWatch(std::span<const int> cpus = {}) : cpus_(cpus), start_s_(stolen_s(cpus)) {}
  /// CPU seconds since it was made; nothing where the system does not tell.
  std::optional<double> since() const;

 private:
  std::span<const int> cpus_;
  std::optional<double> start_s_;
};

/// Share of the time of all of this machine's CPUs that a hypervisor took since it was made.
class StolenShare {
 public:
  /// 0 to 1; nothing where the system does not tell.
  std::optional<double> since() const;

 private:
  StealWatch steal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Relative slowdown from which something counts as disturbed: of the sentinel against its own baseline, and of a slow
/// tail against the median. Below it an interference does not matter at the precision that is aimed at.
inline constexpr double disturbance_tolerance = 0.02;

/// The same of the throughput's ratio against its baseline. A compromise: with 2 % slightly more slow blocks are seen,
/// with 10 % fewer good ones doubted; docs/benchmarks.md has the experiment.
inline constexpr double throughput_tolerance = 0.05;

/// Share of blocks from which a slow tail moves the median by more than its interval lets one expect.
inline constexpr double disturbing_share = 0.10;

/// Blocks told apart by what was seen beside the timing, never by the timing.
struct Classification {
  std::vector<bool> disturbed;                ///< one a block
  Disturbance seen;                           ///< in all blocks
  std::optional<double> sentinel_baseline;    ///< s, undisturbed time of the sentinel: half-sample mode over blocks
  std::optional<double> throughput_baseline;  ///< the one given, else throughput_baseline() of the blocks
};

/// How long the independent work of a block took, as a multiple of the sentinel beside it. Both follow the clock, so
/// the ratio does not; a neighbour on the other hardware thread of a core takes throughput and leaves a chain of
/// dependent operations alone, so he makes it greater. Nothing for a block that lacks one of the two.
std::optional<double> throughput_ratio(const Block& block);

/// The undisturbed throughput ratio, from blocks of any rows of one device: the half-sample mode of the fastest quarter
/// of the ratios. Undisturbed ratios agree within some 0.2 %, those beside a neighbour are greater and spread. So the
/// undisturbed ones are the densest part of the fastest quarter as long as they are more than an eighth of all, even if
/// the others are as steady. A ratio that an interruption of the chain made too small is no danger to a mode, as it
/// would be to a least value. Give it a whole run: of 80 to 85 % disturbed blocks, 100 gave the baseline within 2 % in
/// at least 94 % of draws, 12 in 56 to 81 %, and where it missed it was too great, which sees less and doubts nothing.
/// Nothing without a ratio.
std::optional<double> throughput_baseline(std::span<const Block> blocks);

/// Whether a thread was switched out involuntarily or moved to other cpus, or a hypervisor's steal counter moved.
bool was_interrupted(const Block& block);

/// A block is disturbed if it was interrupted, if its threads did not run for more than disturbance_tolerance of the
/// time, if its sentinel took more than 1 + disturbance_tolerance times the sentinel's baseline, or if its throughput
/// ratio is more than 1 + throughput_tolerance times `throughput`, the level of the whole run: a neighbour may stay
/// beside all blocks of one row. Without it the level is that of these blocks. Missing observations are ignored: a
/// block without a sentinel, say, is judged by the rest.
Classification classify(std::span<const Block> blocks, std::optional<double> throughput = {});

/// Whether the figures hold interference that the covariate did not call: at least three and disturbing_share of them
/// lie beyond the median, on the slow side, by more than disturbance_tolerance and by more than 2.5 standard deviations
/// as the fast half shows them (1.4826 x median distance from the median; one-sided interference of less than half of
/// the blocks leaves that half clean). It decides between estimators, not between figures: the mode is taken of all of
/// them. Normal noise is taken for a slow tail in 1 to 6 % of samples of 8 to 32.
bool has_slow_tail(std::span<const double> figures, bool larger_is_slower);

}  // namespace gable::measure
