#pragma once
#include <string>

#include "core/analysis/comparison.hpp"

namespace gable::report {

/// An svg element: how many times as fast as the baseline every other side does each operator that both have in the
/// same sizes, on a logarithmic axis, with its interval. Empty where there is none.
std::string ratio_chart(const analysis::Compared& compared);

}  // namespace gable::report
