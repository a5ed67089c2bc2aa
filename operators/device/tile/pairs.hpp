#pragma once
#include <cstdint>

#include "operators/device/lanes.hpp"

#if defined(__SSE2__) && !defined(GABLE_ARRAY_LANES)
#include <immintrin.h>
#endif

namespace gable::device::tile {

#if !defined(GABLE_ARRAY_LANES)
/// low(x) low(y) + high(x) high(y) of the 16-bit halves of each 32-bit lane, signed.
template <class Vector>
GABLE_FUNCTION Vector dot_of_pairs(Vector x, Vector y) {
#if defined(__AVX512BW__)
  if constexpr (sizeof(Vector) == 64) return Vector(_mm512_madd_epi16(__m512i(x), __m512i(y)));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(Vector) == 32) return Vector(_mm256_madd_epi16(__m256i(x), __m256i(y)));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(Vector) == 16) return Vector(_mm_madd_epi16(__m128i(x), __m128i(y)));
#endif
  return (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
}
#endif

}  // namespace gable::device::tile
