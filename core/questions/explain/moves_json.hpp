#pragma once
#include <nlohmann/json.hpp>

#include "core/model/point.hpp"
#include "core/operator.hpp"

namespace gable::questions {

/// What the sliders of the page need to move a point: the bytes of a product that stay whatever its batch, the bytes in
/// other types that its operator takes, and those of all its stages in one launch. Empty where nothing of it is known.
nlohmann::json moves_json(const Point& point, Operators operators);

}  // namespace gable::questions
