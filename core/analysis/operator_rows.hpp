#pragma once
#include <span>
#include <vector>

#include "core/analysis/comparison.hpp"

namespace gable::analysis {

/// Whether a measurement is among the types that are compared; all are where none are named.
bool wanted(const PointKey& key, const std::vector<DType>& dtypes);

/// One row for every operator measurement of the first subject, with what the others have under the same key, or in
/// other sizes (Comparison::operators); rows that nobody else has are among them.
std::vector<OperatorRow> operator_rows(std::span<const Subject> subjects, const CompareOptions& options);

}  // namespace gable::analysis
