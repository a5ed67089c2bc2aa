#pragma once
#include <cstddef>
#include <vector>

#include "core/analysis/comparison.hpp"
#include "core/text/text_table.hpp"

/// Tables of a comparison: a row for each quantity, a column for each side, behind it its ratio to the baseline.
namespace gable::report {

/// Ceilings or ridge points, with what vendors print for the same quantity.
TextTable ceilings_table(const std::vector<analysis::CeilingRow>& rows, std::size_t subjects);
/// Times, and under which roof each side is.
TextTable operators_table(const std::vector<analysis::OperatorRow>& rows, std::size_t subjects);
/// Work per joule; empty where no power was read.
TextTable energy_table(const analysis::Compared& compared);
/// Work of a ceiling for a unit of the price, and what one run of an operator costs; empty without prices.
TextTable work_per_price_table(const analysis::Compared& compared);
TextTable cost_of_runs_table(const analysis::Compared& compared);

}  // namespace gable::report
