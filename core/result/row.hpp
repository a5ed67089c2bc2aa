#pragma once
#include <variant>

#include "core/model/ceiling.hpp"
#include "core/model/point.hpp"

namespace gable {

/// What one measured item yields.
using Row = std::variant<Ceiling, Curve, Point>;

}  // namespace gable
