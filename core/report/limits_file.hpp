#pragma once
#include <filesystem>
#include <vector>

#include "core/analysis/acceptance.hpp"

namespace gable::report {

/// Accepted ranges of an acceptance test. CSV with the columns name, unit, lower and upper in any order, or, with the
/// ending .json, {"limits": [{"name": …, "unit": …, "lower": …, "upper": …}]}; one of lower and upper may be missing.
/// Figures are plain numbers in the unit: flop/s, op/s, byte/s or s. Throws Error naming the file and the line and
/// column, or the JSON pointer, of what is wrong.
std::vector<analysis::AcceptedRange> read_limits(const std::filesystem::path& path);

}  // namespace gable::report
