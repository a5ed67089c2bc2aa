#pragma once
#include "operators/device/lanes.hpp"

namespace gable::device {

#if defined(__AVX__) && !defined(GABLE_ARRAY_LANES)
/// The instruction's 12 bits and one step of Newton's: 23 bits, in half the time of root and division. Numbers that
/// large are infinity to it, for which the step would make a NaN; a NaN stays one.
GABLE_FUNCTION __m256 quick_inverse_root(__m256 x) {
  const __m256 finite = _mm256_min_ps(_mm256_set1_ps(0x1p127F), x);
  const __m256 guess = _mm256_rsqrt_ps(finite);
  const __m256 half = _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(-0.5F), finite), guess);
  return _mm256_mul_ps(guess, _mm256_add_ps(_mm256_set1_ps(1.5F), _mm256_mul_ps(half, guess)));
}
#endif

/// 1 / sqrt(x) for x > 0 that is a normal number, to some units in the last place; about 0 for infinity.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> inverse_root(Lanes<A, N> x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  for (int p = 0; p < x.parts; ++p) {
    if constexpr (sizeof(A) == 4) x.part[p] = ::rsqrtf(x.part[p]);
    if constexpr (sizeof(A) == 8) x.part[p] = ::rsqrt(x.part[p]);
  }
  return x;
#else
#if defined(__AVX__) && !defined(GABLE_ARRAY_LANES)
  if constexpr (sizeof(A) == 4 && sizeof(x.part[0]) == 32) {
    for (int p = 0; p < x.parts; ++p) {
      x.part[p] = typename Lanes<A, N>::Part(quick_inverse_root(__m256(x.part[p])));
    }
    return x;
  }
#endif
  return A(1) / sqrt(x);
#endif
}

}  // namespace gable::device
