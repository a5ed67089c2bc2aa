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
  /// fp32: one instruction, where rsqrtf() has three more for x below 2^-126.
  static GABLE_FUNCTION A inverse_root(A x) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(A) == 8) return ::rsqrt(x);
    A root = 0;
    if constexpr (sizeof(A) == 4) asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
#elif defined(__HIP_DEVICE_COMPILE__)
    if constexpr (sizeof(A) == 8) return ::rsqrt(x);
    return __builtin_amdgcn_rsqf(x);
#else
    return A(1) / ::sqrt(x);
#endif
  }
  /// By a GPU's instruction for a reciprocal (fp32), of 1 unit in the last place; 0 for |y| > 2^126.
  static GABLE_FUNCTION A rough_quotient(A x, A y) {
    if constexpr (sizeof(A) == 4) {
      return x * rough_inverse(y);
    } else {
      return x / y;
    }
  }
  /// x / y and the root of x, both to 1 unit in the last place, where all numbers and 1 / y are normal. The language's
  /// own look for others, each with a branch that no other element's instructions cross (fp32).
  static GABLE_FUNCTION A normal_quotient(A x, A y) {
    if constexpr (sizeof(A) == 4) {
      const A rough = rough_inverse(y), inverse = ::fma(rough, ::fma(-y, rough, A(1)), rough), quotient = x * inverse;
      return ::fma(inverse, ::fma(-y, quotient, x), quotient);
    } else {
      return x / y;
    }
  }
  static GABLE_FUNCTION A normal_root(A x) {
    if constexpr (sizeof(A) == 4) {
      const A inverse = inverse_root(x), root = x * inverse;
      return ::fma(A(0.5) * inverse, ::fma(-root, root, x), root);
    } else {
      return ::sqrt(x);
    }
  }
  /// 2^x by a GPU's instruction (fp32): a result below 2^-126 becomes 0. exp2f() has three more to keep those.
  static GABLE_FUNCTION A exp2(A x) {
    if constexpr (sizeof(A) == 4) {
#if defined(__CUDA_ARCH__)
      A power;
      asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
      return power;
#elif defined(__HIP_DEVICE_COMPILE__)
      return __builtin_amdgcn_exp2f(x);
#endif
    }
    return ::exp2(x);
  }
  static GABLE_FUNCTION A sum(A x) { return x; }
  static GABLE_FUNCTION A maximum(A x) { return x; }
  static GABLE_FUNCTION void keep(A&) {}

 private:
  static GABLE_FUNCTION A rough_inverse(A y) {
#if defined(__CUDA_ARCH__)
    A inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(y));
    return inverse;
#elif defined(__HIP_DEVICE_COMPILE__)
    return __builtin_amdgcn_rcpf(y);
#else
    return A(1) / y;
#endif
  }
};

}  // namespace gable::device::isa
