#pragma once
#include "operators/device/lanes.hpp"

namespace gable::device {

/// 1 / sqrt(x) for x > 0 that is a normal number, to some units in the last place; about 0 for infinity.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> inverse_root(Lanes<A, N> x) {
  for (int p = 0; p < x.parts; ++p) x.part[p] = Lanes<A, N>::One::inverse_root(x.part[p]);
  return x;
}

}  // namespace gable::device
