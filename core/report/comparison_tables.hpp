#pragma once
#include <optional>
#include <vector>

#include "core/analysis/comparison.hpp"
#include "core/model/answer.hpp"
#include "core/text/text_table.hpp"

/// Tables of a comparison: a row for each quantity; for people a column for each side, behind it its ratio to the
/// baseline.
namespace gable::report {

/// A ratio, its interval and what that says; nothing where there is none.
Answer::Facts facts_of(const std::optional<analysis::Ratio>& ratio);

/// Ceilings or ridge points, with what vendors print for the same quantity.
Answer::Table ceilings_table(const std::vector<analysis::CeilingRow>& rows, const analysis::CompareOptions& options);
/// Times, and under which roof each side is.
Answer::Table operators_table(const std::vector<analysis::OperatorRow>& rows);
/// Every quantity of a device that was measured several times, for programs.
Answer::Table ceilings_table(const std::vector<analysis::CeilingQuantity>& quantities);
Answer::Table operators_table(const std::vector<analysis::PointQuantity>& quantities);
/// Work per joule, for people; empty where no power was read.
Answer::Table energy_table(const analysis::Compared& compared);
/// Work of a ceiling for a unit of the price, and what one run of an operator costs; empty without prices.
Answer::Table work_per_price_table(const analysis::Compared& compared);
Answer::Table cost_of_runs_table(const analysis::Compared& compared);

}  // namespace gable::report
