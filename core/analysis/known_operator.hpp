#pragma once
#include "core/model/point.hpp"
#include "core/operator.hpp"

namespace gable::analysis {

/// What a point's operator is; null for the user's kernels, whatever they are called, and operators that this build
/// lacks.
const OperatorSpec* known_operator(const Point& point, Operators operators);

}  // namespace gable::analysis
