#pragma once
#include <optional>

#include "core/analysis/total_cost.hpp"
#include "core/model/answer.hpp"

namespace gable::report {

/// Subjects side by side, and what they cost over their years where that was asked.
Answer comparison_answer(const analysis::Compared& compared, const std::optional<analysis::TotalCost>& cost,
                         bool formulas);
/// One subject of several runs: every quantity's median, smallest and largest, and its energy.
Answer repeats_answer(const analysis::Compared& compared, bool formulas);

}  // namespace gable::report
