#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/measure/block.hpp"
#include "core/measure/estimate.hpp"

namespace gable::measure {

/// Relative slowdown from which something counts as disturbed: of the sentinel against its own level, and of a slow
/// tail against the median. Below it an interference does not matter at the precision that is aimed at.
inline constexpr double disturbance_tolerance = 0.02;

/// Share of blocks from which a slow tail moves the median by more than its interval lets one expect.
inline constexpr double disturbing_share = 0.10;

/// Blocks told apart by what was seen beside the timing, never by the timing.
struct Classification {
  std::vector<bool> disturbed;           ///< one a block
  Disturbance seen;                      ///< in all blocks
  std::optional<double> sentinel_level;  ///< s, undisturbed time of the sentinel: half-sample mode over blocks
};

/// A block is disturbed if a thread of it was switched out involuntarily, if a hypervisor's steal counter moved during
/// its batches, or if its sentinel took more than 1 + disturbance_tolerance times the sentinel's level. What a block
/// lacks has no say.
Classification classify(std::span<const Block> blocks);

/// Whether the figures hold interference that the covariate did not call: at least three and disturbing_share of them
/// lie beyond the median, on the slow side, by more than disturbance_tolerance and by more than 2.5 standard deviations
/// as the fast half shows them (1.4826 x median distance from the median; one-sided interference of less than half of
/// the blocks leaves that half clean). It decides between estimators, not between figures: the mode is taken of all of
/// them. Normal noise is taken for a slow tail in 1 to 6 % of samples of 8 to 32.
bool has_slow_tail(std::span<const double> figures, bool larger_is_slower);

}  // namespace gable::measure
