#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/operator.hpp"
#include "core/result/result.hpp"

namespace gable::verdict {

/// One finding of `gable validate`.
struct Finding {
  bool fatal{};       ///< breaks the schema; otherwise implausible
  std::string where;  ///< JSON pointer or row id
  std::string what;
};

/// Schema (data/result.schema.json, compiled in), then plausibility: intervals around their value, ids unique, rows
/// refer to devices, percentages over 101 % (points: beyond the intervals of time and roofs), bandwidths that do not
/// fit their level (soundness.hpp), times and counts positive, status with reason, medians that are those of their
/// samples, for the operators that are known here work that is theirs, and the figures that cannot be, which every
/// other reader refuses (figure_limits.hpp). Keys the schema does not know are fatal. Text that is not JSON is a
/// finding; a file that cannot be read, is no result or of another version throws Error.
std::vector<Finding> validate_file(const std::filesystem::path& path, Operators known = {});
std::vector<Finding> plausibility(const Result& result, Operators known = {});

}  // namespace gable::verdict
