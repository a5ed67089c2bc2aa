#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/questions/check/acceptance.hpp"

namespace gable::questions {

/// JUnit XML of an acceptance test: a suite for each criterion, a test case for each judged row, a failure with the
/// reason for each that does not pass. What is not judged is a skipped case. Characters that XML has no place for
/// become '?'. Suites have devices, hosts, runs and tolerance as properties, cases the measured and the accepted
/// figure. Remarks are what the first suite printed (system-out).
/// `command` is the name of it all.
std::string junit(const Checked& checked, const std::string& command = "gable check");

/// Accepted ranges of an acceptance test. CSV with the columns name, unit, lower and upper in any order, or, with the
/// ending .json, {"limits": [{"name": …, "unit": …, "lower": …, "upper": …}]}; one of lower and upper may be missing.
/// Figures are plain numbers in the unit: flop/s, op/s, byte/s or s. Throws Error naming the file and the line and
/// column, or the JSON pointer, of what is wrong.
std::vector<AcceptedRange> read_limits(const std::filesystem::path& path);

}  // namespace gable::questions
