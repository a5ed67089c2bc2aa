#pragma once
#include "operators/device/elementwise.hpp"

namespace gable::device {

/// Elementwise a + b.
template <class T>
struct AddBody {
  const T* a;
  const T* b;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return access.load(a + i) + access.load(b + i);
  }
};

}  // namespace gable::device
