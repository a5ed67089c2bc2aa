#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/questions/compare/comparison.hpp"

namespace gable::questions {

/// A row of operators and its part of the whole.
struct RowWeight {
  const OperatorRow* row;
  double share{};    ///< 0 to 1; those of all rows sum to 1
  std::string name;  ///< what it counts under: that of the weight, else the operator
};

/// Rows that all of these subjects have in the baseline's sizes, of the widest scope that any such row has.
std::vector<const OperatorRow*> rows_of_all(const std::vector<OperatorRow>& rows,
                                            std::span<const std::size_t> subjects);

/// Of these rows, whose baseline has a figure. With weights of names: each name's part, shared equally by its rows;
/// rows that no name is for are left out. By time: the baseline's time x count (one where the workload has none).
/// Else every operator has the same part, and so has every row of one operator.
std::vector<RowWeight> row_weights(std::span<const OperatorRow* const> rows, const CompareOptions& options);

/// Throws Error for a name that fits no operator of the baseline, or none that a measured subject has in the same sizes
/// and at the scope of the mean, and for a row that two names fit. Subjects without any operator are not asked.
void demand_names(const std::vector<OperatorRow>& rows, std::span<const Subject> subjects,
                  std::span<const NamedWeight> weights);

/// Weights of a JSON file {"gemm": 3, "softmax": 1}, by name. Throws Error "FILE: …" with one line for what is no JSON
/// object of positive numbers, and for a name that is there twice.
std::vector<NamedWeight> read_weights(const std::filesystem::path& path);

}  // namespace gable::questions
