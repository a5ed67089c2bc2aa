#pragma once
#include <span>
#include <vector>

#include "core/model/roofline.hpp"
#include "core/model/work.hpp"

namespace gable {

/// Least bytes a stage draws from each level, same order as `levels` (innermost first; empty in, empty out).
///
/// Cold: all Q compulsory bytes from the outermost level. Hot, with working set W and capacities C: the innermost level
/// with W <= 4 C serves Q; of that, each next level outward must serve at least Q (1 - (sum of C inside it) / W): no
/// replacement policy finds more than the caches' contents at the start of a run, and only exclusive caches hold their
/// sum (the counting argument of Hong and Kung, STOC 1981). Beyond 4 C a level counts as useless: a sweep has replaced
/// its data before they return, and all Q comes from beyond.
std::vector<double> least_traffic(const Stage& stage, std::span<const Level> levels, bool cold);

}  // namespace gable
