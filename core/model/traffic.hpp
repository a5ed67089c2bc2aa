#pragma once
#include <span>
#include <vector>

#include "core/model/roofline.hpp"
#include "core/model/work.hpp"

namespace gable {

/// Bytes a stage draws from each level, same order as `levels` (innermost first; empty in, empty out).
///
/// Cold: all Q compulsory bytes from the outermost level. Hot, with working set W and capacities C: the innermost level
/// with W < 4 C serves Q; of that, each next level outward serves Q (1 - k (sum of C inside it) / W). With k = 1 that
/// is the least there can be: no replacement policy finds more than the caches' contents at the start of a run, and
/// only exclusive caches hold their sum (the counting argument of Hong and Kung, STOC 1981). Expected is k = 1 up to W
/// = 2 C of the largest cache inside; from there k falls in proportion to W, to 0 at 4 C: caches replace what was not
/// used for long, and a sweep much larger than the cache has replaced its data before they return. So the expected
/// traffic has no step at any W.
std::vector<double> least_traffic(const Stage& stage, std::span<const Level> levels, bool cold,
                                  Residency residency = Residency::expected);

}  // namespace gable
