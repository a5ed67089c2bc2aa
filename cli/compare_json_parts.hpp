#pragma once
#include <nlohmann/json.hpp>

#include "core/analysis/total_cost.hpp"

/// Parts of the JSON of `gable compare`.
namespace gable::cli {

nlohmann::ordered_json ratio_json(const analysis::Ratio& ratio);
nlohmann::ordered_json total_cost_json(const analysis::TotalCost& cost);

}  // namespace gable::cli
