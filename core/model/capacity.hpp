#pragma once
#include <optional>
#include <span>
#include <vector>

namespace gable {

struct Level;

/// What the caches among the levels hold, byte.
std::vector<double> bytes_of_caches(std::span<const Level> levels);

/// Where times over working sets leave a cache.
struct CacheStep {
  double holds{};  ///< byte: up to here the time is nearer to the cache's than to that of the level behind it
  double whole{};  ///< byte: up to here it is that of the cache, within a tenth and a quarter of the step
  double here_s{}, beyond_s{};  ///< the times of both levels: medians over their working sets
};

/// The caches in a series of times (s a byte or an access) over working sets (byte, ascending): one step for each cache
/// that the system tells of (byte, innermost first); nothing for one that cannot be told from the level behind it, that
/// is slower by less than a tenth.
///
/// The series is cut into one piece for each cache and one for the main memory, so that the distances of the logarithms
/// from the median of their piece sum up to the least (Fisher, "On Grouping for Maximum Homogeneity", 1958). A cache
/// has two working sets or more. It ends between a quarter of what the system says and 2.5 times that; the outermost
/// one, of which others may have the rest, from a 32nd of it on, but behind the one inside. No steps where the series
/// is too short for that, or has more than 1000 sizes.
std::vector<std::optional<CacheStep>> cache_steps(std::span<const double> told_bytes, std::span<const double> set_bytes,
                                                  std::span<const double> seconds);

}  // namespace gable
