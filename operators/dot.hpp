#pragma once
#include <string_view>

#include "operators/reduction.hpp"

namespace gable::operators {

/// r = sum over i of x[i] y[i]; x, y: [n], r: [1].
/// flop 2n; bytes: read 2ns, write s.
struct Dot : ReductionOf<2> {
  static constexpr std::string_view name = "dot";
  static constexpr std::string_view summary = "r = sum over i of x[i] y[i]; x, y: [n]";
};

}  // namespace gable::operators
