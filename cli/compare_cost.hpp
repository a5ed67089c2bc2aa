#pragma once
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "core/analysis/total_cost.hpp"

/// The total cost of the sides of `gable compare`: its options.
namespace gable::cli {

/// Adds --capital, --years, --tariff, --pue, --utilisation, --power, --idle-power, --power-budget, --money-budget.
void offer_cost(po::options_description& options);
/// Nothing without --capital. Throws Error with one line: what is missing, out of range, or goes with --capital only.
std::optional<analysis::CostAssumptions> cost_assumptions_of(const po::variables_map& values,
                                                             const std::vector<analysis::Subject>& subjects);

}  // namespace gable::cli
