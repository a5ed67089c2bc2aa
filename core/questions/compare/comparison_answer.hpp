#pragma once
#include <optional>

#include "core/model/answer.hpp"
#include "core/questions/compare/total_cost.hpp"

namespace gable::questions {

/// Subjects side by side, and what they cost over their years where that was asked.
Answer comparison_answer(const Compared& compared, const std::optional<TotalCost>& cost, bool formulas);
/// One subject of several runs: every quantity's median, smallest and largest, and its energy.
Answer repeats_answer(const Compared& compared, bool formulas);

}  // namespace gable::questions
