#pragma once
#include <optional>
#include <vector>

#include "core/analysis/lever.hpp"

namespace gable::analysis {

/// More rows of a product behind the same weights: factor of one row's time, at the smallest power of two times the
/// rows from which on less than `least_gain` is left to gain. Nothing for what is no product; no factor without its
/// spec.
std::optional<Lever> batch(const Situation& now);

/// The narrower types that the operator takes and that the machine has roofs for: of each width the better one. Work of
/// an operator without a spec (the user's kernels) is taken to be of one type throughout.
std::vector<Lever> lower_precision(const Situation& now);

}  // namespace gable::analysis
