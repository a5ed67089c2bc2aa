#pragma once
#include <filesystem>
#include <vector>

#include "core/analysis/comparison.hpp"

namespace gable::analysis {

/// Weights of a JSON file {"gemm": 3, "softmax": 1}, by name. Throws Error "FILE: …" with one line for what is no JSON
/// object of positive numbers, and for a name that is there twice.
std::vector<NamedWeight> read_weights(const std::filesystem::path& path);

}  // namespace gable::analysis
