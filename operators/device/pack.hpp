#pragma once
#include <cstring>

#include "operators/device/lanes.hpp"
#include "operators/device/storage.hpp"

namespace gable::device {

/// Elements a thread takes per step. GPU: 16 bytes of storage, the widest access. Host: as many as fill one vector
/// register in accumulate type (8 halves under AVX2 are 16 bytes, and 8 floats in a register).
template <class T>
#if defined(GABLE_ARRAY_LANES)
inline constexpr int pack_size = 16 / static_cast<int>(sizeof(T));
#else
inline constexpr int pack_size = register_bytes / static_cast<int>(sizeof(Accumulate<T>));
#endif

template <class T, int N = pack_size<T>>
using LanesOf = Lanes<Accumulate<T>, N>;

#if defined(GABLE_ARRAY_LANES)
/// N elements of storage type T that a GPU thread moves in 16-byte accesses.
template <class T, int N>
struct alignas(N * sizeof(T) <= 16 ? N * sizeof(T) : 16) Pack {
  T element[N];
};
#endif

#if !defined(GABLE_ARRAY_LANES)
/// 16-bit to 32-bit lanes and back (values below 2^16). The compiler's own conversion takes several shuffles where AVX2
/// has one.
template <class Narrow, class Wide>
GABLE_FUNCTION Wide zero_extend(Narrow bits, Wide) {
#if defined(__AVX2__)
  if constexpr (sizeof(Wide) == 32) return Wide(_mm256_cvtepu16_epi32(__m128i(bits)));
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(Wide) == 64) return Wide(_mm512_cvtepu16_epi32(__m256i(bits)));
#endif
  return __builtin_convertvector(bits, Wide);
}
template <class Wide, class Narrow>
GABLE_FUNCTION Narrow truncate(Wide bits, Narrow) {
#if defined(__AVX2__)
  if constexpr (sizeof(Wide) == 32) {
    const __m256i all = __m256i(bits);
    return Narrow(_mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
  }
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(Wide) == 64) return Narrow(_mm512_cvtepi32_epi16(__m512i(bits)));
#endif
  return __builtin_convertvector(bits, Narrow);
}
#endif

/// Loads N elements as a whole, in the instruction set's own conversion where there is one. On GPUs source must be
/// aligned to the pack; on hosts any address does. Copies go through register variables, never through an object in
/// memory.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load(const T* source) {
#if defined(GABLE_ARRAY_LANES)
  const Pack<T, N> pack = *reinterpret_cast<const Pack<T, N>*>(source);
  LanesOf<T, N> lanes;
  for (int i = 0; i < N; ++i) lanes.set(i, widen(pack.element[i]));
  return lanes;
#else
  using Vector = typename LanesOf<T, N>::Vector;
  if constexpr (std::is_same_v<T, Accumulate<T>>) {
    Vector values;
    std::memcpy(&values, source, sizeof values);
    return values;
#if defined(__AVX512F__)
  } else if constexpr (std::is_same_v<T, Fp16> && N == 16) {
    return Vector(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(source))));
#endif
#if defined(__F16C__)
  } else if constexpr (std::is_same_v<T, Fp16> && N == 8) {
    return Vector(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source))));
#endif
  } else if constexpr (std::is_same_v<T, Bf16>) {
    typename VectorOf<std::uint16_t, N>::type bits;
    std::memcpy(&bits, source, sizeof bits);
    return Vector(zero_extend(bits, typename VectorOf<std::uint32_t, N>::type{}) << 16);
  } else {
    LanesOf<T, N> lanes;
    for (int i = 0; i < N; ++i) lanes.set(i, widen(source[i]));
    return lanes;
  }
#endif
}

/// Stores N elements, rounded to nearest even; alignment as for load.
template <int N, class T>
GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes) {
#if defined(GABLE_ARRAY_LANES)
  Pack<T, N> pack;
  for (int i = 0; i < N; ++i) pack.element[i] = narrow<T>(lanes[i]);
  *reinterpret_cast<Pack<T, N>*>(target) = pack;
#else
  const auto values = lanes.values;
  if constexpr (std::is_same_v<T, Accumulate<T>>) {
    std::memcpy(target, &values, sizeof values);
#if defined(__AVX512F__)
  } else if constexpr (std::is_same_v<T, Fp16> && N == 16) {
    const __m256i halves = _mm512_cvtps_ph(__m512(values), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), halves);
#endif
#if defined(__F16C__)
  } else if constexpr (std::is_same_v<T, Fp16> && N == 8) {
    const __m128i halves = _mm256_cvtps_ph(__m256(values), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target), halves);
#endif
  } else if constexpr (std::is_same_v<T, Bf16>) {
    using Wide = typename VectorOf<std::uint32_t, N>::type;
    const Wide bits = Wide(values);
    const Wide rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    const Wide result = (values == values ? rounded : bits | 0x400000U) >> 16;
    const auto halves = truncate(result, typename VectorOf<std::uint16_t, N>::type{});
    std::memcpy(target, &halves, sizeof halves);
  } else {
    for (int i = 0; i < N; ++i) target[i] = narrow<T>(lanes[i]);
  }
#endif
}

/// Loads the first `count` (< N) elements and sets the other lanes to `rest`.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load(const T* source, int count, Accumulate<T> rest) {
  LanesOf<T, N> lanes(rest);
  for (int i = 0; i < count; ++i) lanes.set(i, widen(source[i]));
  return lanes;
}

/// Stores the first `count` (< N) elements.
template <int N, class T>
GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes, int count) {
  for (int i = 0; i < count; ++i) target[i] = narrow<T>(lanes[i]);
}

}  // namespace gable::device
