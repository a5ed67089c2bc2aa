#pragma once
#include <optional>
#include <string>

#include "core/analysis/comparison.hpp"
#include "core/analysis/total_cost.hpp"

namespace gable::cli {

using analysis::Compared;

/// Tables and sentences for people, columns cut to the width.
std::string compare_text(const Compared& compared, const std::optional<analysis::TotalCost>& cost, int width);
/// One subject of several runs: every quantity's median, smallest and largest, and its energy.
std::string repeats_text(const Compared& compared, int width);
std::string compare_formulas();

/// The whole answer with full digits; a unit stands beside each figure or in its key.
std::string compare_json(const Compared& compared, const std::optional<analysis::TotalCost>& cost);
std::string repeats_json(const analysis::Subject& subject);

}  // namespace gable::cli
