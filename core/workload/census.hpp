#pragma once
#include <filesystem>
#include <vector>

#include "core/backend.hpp"
#include "core/operator.hpp"

namespace gable::workload {

/// The matrix products of a workload, from a CSV file: columns m, n, k and count (how often the workload does the
/// product of that shape) and, optional, name and dtype, in any order. One case a distinct shape and type, with the
/// counts added up and the names joined, in the order of the file. Throws Error naming file, line and column of what is
/// wrong.
std::vector<Case> read_census(const std::filesystem::path& path, const OperatorSpec& gemm);

}  // namespace gable::workload
