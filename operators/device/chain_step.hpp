#pragma once
#include "operators/device/elementwise.hpp"
#include "operators/elementwise_chain.hpp"

namespace gable::device {

/// `steps` steps of an ElementwiseChain on what is at x.
template <class T>
struct ChainBody {
  static constexpr bool any_tie = true;
  const T* x;
  Index steps;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    using A = Accumulate<T>;
    auto value = access.load(x + i);
    for (Index step = 0; step < steps; ++step)
      value = value * A(operators::ElementwiseChain::a) + A(operators::ElementwiseChain::b);
    return value;
  }
};

}  // namespace gable::device
