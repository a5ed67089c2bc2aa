#include "core/analysis/known_operator.hpp"

#include <algorithm>
#include <string_view>

namespace gable::analysis {

const OperatorSpec* known_operator(const Point& point, Operators operators) {
  if (is_user(point)) return nullptr;
  const auto found = std::ranges::find(operators, std::string_view(point.op), &OperatorSpec::name);
  return found == operators.end() ? nullptr : *found;
}

}  // namespace gable::analysis
