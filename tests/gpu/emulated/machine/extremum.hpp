#pragma once
#include <cmath>
#include <limits>

namespace gable::emulated {

/// min and max of PTX: -0 is less than +0. One operand that is not a number is ignored, unless the instruction has
/// .NaN.
template <class T>
T extremum(T a, T b, bool least, bool keeps_nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (keeps_nan) return std::numeric_limits<T>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == least ? a : b;
  return (a < b) == least ? a : b;
}

}  // namespace gable::emulated
