#pragma once
#include <span>
#include <string>

#include "core/analysis/acceptance.hpp"

namespace gable::report {

/// JUnit XML of an acceptance test: a suite for each criterion, a test case for each judged row, a failure with the
/// reason for each that does not pass. What is only listed is a skipped case. Characters that XML has no place for
/// become '?'. Remarks are what the first suite printed (system-out).
std::string junit(std::span<const analysis::AcceptanceRow> rows, std::span<const std::string> remarks = {});

}  // namespace gable::report
