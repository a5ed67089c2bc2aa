#pragma once
#include <cmath>

#include "operators/device/function.hpp"

namespace gable::device::isa {

/// Register of portable.hpp for the lanes of a GPU's thread, which are numbers.
template <class A>
struct Number {
  static GABLE_FUNCTION A root(A x) { return ::sqrt(x); }
  static GABLE_FUNCTION A greater(A x, A y) { return x > y ? x : y; }
  static GABLE_FUNCTION A lesser(A x, A y) { return x < y ? x : y; }
  static GABLE_FUNCTION A inverse_root(A x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    if constexpr (sizeof(A) == 4) return ::rsqrtf(x);
    if constexpr (sizeof(A) == 8) return ::rsqrt(x);
#else
    return A(1) / ::sqrt(x);
#endif
  }
  static GABLE_FUNCTION A rough_quotient(A x, A y) { return x / y; }
  static GABLE_FUNCTION A sum(A x) { return x; }
  static GABLE_FUNCTION A maximum(A x) { return x; }
  static GABLE_FUNCTION void keep(A&) {}
};

}  // namespace gable::device::isa
