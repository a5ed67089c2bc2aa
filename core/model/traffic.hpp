#pragma once
#include <span>
#include <vector>

#include "core/model/roofline.hpp"
#include "core/model/work.hpp"

namespace gable {

/// Least bytes a stage draws from each level, same order as `levels` (innermost first; empty in, empty out).
///
/// Cold: all Q compulsory bytes from the outermost level. Hot, with working set W and capacities C: the innermost level
/// with W < 4 C serves Q; of that, each next level outward must serve at least Q (1 - k (sum of C inside it) / W): no
/// replacement policy finds more than the caches' contents at the start of a run, and only exclusive caches hold their
/// sum (the counting argument of Hong and Kung, STOC 1981). k says how much of these contents is still counted on. It
/// is 1 up to W = 2 C of the cache just inside; from there it falls in proportion to W, to 0 at 4 C: caches replace
/// what was not used for long, and a sweep much larger than the cache has replaced its data before they return. So the
/// traffic has no step at any W.
std::vector<double> least_traffic(const Stage& stage, std::span<const Level> levels, bool cold);

}  // namespace gable
