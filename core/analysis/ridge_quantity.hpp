#pragma once
#include <vector>

#include "core/analysis/repeats.hpp"

namespace gable::analysis {

/// Ridge points as quantities: P / B of every arithmetic roof and the outermost bandwidth (the fastest triad),
/// flop/byte (op/byte for integers), at every scope; key and spread are the peak's. The interval comes from those of
/// both, end against end; there is none where one of them has none.
std::vector<CeilingQuantity> ridge_quantities(const Subject& subject);

}  // namespace gable::analysis
