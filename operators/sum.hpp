#pragma once
#include <string_view>

#include "operators/reduction.hpp"

namespace gable::operators {

/// r = sum over i of x[i]; x: [n], r: [1].
/// flop n; bytes: read ns, write s.
struct Sum : ReductionOf<1> {
  static constexpr std::string_view name = "sum";
  static constexpr std::string_view summary = "r = sum over i of x[i]; x: [n]";
};

}  // namespace gable::operators
