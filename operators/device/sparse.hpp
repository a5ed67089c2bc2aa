#pragma once
#include <cstdint>

#include "operators/device/chunk.hpp"
#include "operators/device/pack.hpp"

namespace gable::device {

/// The first of `count` parts of a matrix, with entries up to offset[i] before part i, that belongs to thread `part` of
/// `parts`: each gets about as many entries, a part counting as one more.
GABLE_FUNCTION Index balanced_begin(const std::int32_t* offset, Index count, Index part, Index parts) {
  const Index wanted = (offset[count] + count) / parts * part + (offset[count] + count) % parts * part / parts;
  Index low = 0, high = count;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (offset[middle] + middle < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return part == parts ? count : low;
}

#if !defined(GABLE_ARRAY_LANES)
/// Whether `width` indices are neighbours in ascending order, as in bands and dense blocks. False where there is no
/// quick way to tell; four are loaded one by one in the time that telling takes.
template <int width>
GABLE_FUNCTION bool are_neighbours([[maybe_unused]] const std::int32_t* index) {
#if defined(__AVX2__)
  if constexpr (width == 8) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    const __m256i wanted = _mm256_add_epi32(_mm256_set1_epi32(*index), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(all, wanted)) == -1;
  }
#endif
  return false;
}

/// x at `width` indices, as one register: neighbours as a whole, others one by one, because the gathers of Zen 3 and of
/// older cores take longer.
template <class T, int width>
GABLE_FUNCTION typename VectorOf<T, width>::type gathered(const T* x, const std::int32_t* index) {
  if (are_neighbours<width>(index)) return load_part<T, width>(x + *index);
  typename VectorOf<T, width>::type values;
#pragma GCC unroll 16
  for (int i = 0; i < width; ++i) values[i] = x[index[i]];
  return values;
}

template <int width>
GABLE_FUNCTION bool any_negative(const std::int32_t* index) {
#if defined(__AVX2__)
  if constexpr (width == 8)
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)))) != 0;
  if constexpr (width == 4)
    return _mm_movemask_ps(_mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(index)))) != 0;
#endif
  std::int32_t any = 0;
#pragma GCC unroll 16
  for (int i = 0; i < width; ++i) any |= index[i];
  return any < 0;
}
#endif

}  // namespace gable::device
