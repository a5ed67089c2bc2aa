#pragma once
#include <cstring>

#include "operators/device/lanes.hpp"
#include "operators/device/storage.hpp"

namespace gable::device {

/// N elements of storage type T, loaded and stored as a whole.
template <class T, int N>
struct alignas(N * sizeof(T) <= 16 ? N * sizeof(T) : 16) Pack {
  T element[N];
};

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

/// Pack to lanes. Converts the pack as a whole where the instruction set can.
template <class T, int N>
GABLE_FUNCTION LanesOf<T, N> widen(const Pack<T, N>& pack) {
  LanesOf<T, N> lanes;
#if !defined(GABLE_ARRAY_LANES)
  if constexpr (std::is_same_v<T, Accumulate<T>>) {
    std::memcpy(&lanes, &pack, sizeof pack);
    return lanes;
#if defined(__AVX512F__)
  } else if constexpr (std::is_same_v<T, Fp16> && N == 16) {
    const __m512 wide = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(&pack)));
    std::memcpy(&lanes, &wide, sizeof wide);
    return lanes;
#endif
#if defined(__F16C__)
  } else if constexpr (std::is_same_v<T, Fp16> && N == 8) {
    const __m256 wide = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&pack)));
    std::memcpy(&lanes, &wide, sizeof wide);
    return lanes;
#endif
  } else if constexpr (std::is_same_v<T, Bf16>) {
    using Narrow = typename VectorOf<std::uint16_t, N>::type;
    using Wide = typename VectorOf<std::uint32_t, N>::type;
    Narrow bits;
    std::memcpy(&bits, &pack, sizeof bits);
    const Wide wide = zero_extend(bits, Wide{}) << 16;
    std::memcpy(&lanes, &wide, sizeof wide);
    return lanes;
  }
#endif
  for (int i = 0; i < N; ++i) lanes.set(i, widen(pack.element[i]));
  return lanes;
}

/// Lanes to pack, rounding to nearest even.
template <class T, int N>
GABLE_FUNCTION Pack<T, N> narrow_pack(const LanesOf<T, N>& lanes) {
  Pack<T, N> pack;
#if !defined(GABLE_ARRAY_LANES)
  if constexpr (std::is_same_v<T, Accumulate<T>>) {
    std::memcpy(&pack, &lanes, sizeof pack);
    return pack;
#if defined(__AVX512F__)
  } else if constexpr (std::is_same_v<T, Fp16> && N == 16) {
    __m512 wide;
    std::memcpy(&wide, &lanes, sizeof wide);
    const __m256i halves = _mm512_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(&pack, &halves, sizeof halves);
    return pack;
#endif
#if defined(__F16C__)
  } else if constexpr (std::is_same_v<T, Fp16> && N == 8) {
    __m256 wide;
    std::memcpy(&wide, &lanes, sizeof wide);
    const __m128i halves = _mm256_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(&pack, &halves, sizeof halves);
    return pack;
#endif
  } else if constexpr (std::is_same_v<T, Bf16>) {
    using Narrow = typename VectorOf<std::uint16_t, N>::type;
    using Wide = typename VectorOf<std::uint32_t, N>::type;
    Wide bits;
    std::memcpy(&bits, &lanes, sizeof bits);
    const Wide rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    const Wide result = (lanes.values == lanes.values ? rounded : bits | 0x400000U) >> 16;
    const Narrow halves = truncate(result, Narrow{});
    std::memcpy(&pack, &halves, sizeof halves);
    return pack;
  }
#endif
  for (int i = 0; i < N; ++i) pack.element[i] = narrow<T>(lanes[i]);
  return pack;
}

/// Loads N elements. On GPUs source must be aligned to the pack; on hosts any address does.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load(const T* source) {
#if defined(GABLE_ARRAY_LANES)
  return widen(*reinterpret_cast<const Pack<T, N>*>(source));
#else
  Pack<T, N> pack;
  std::memcpy(&pack, source, sizeof pack);
  return widen(pack);
#endif
}

/// Loads the first `count` (< N) elements and sets the other lanes to `rest`.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load(const T* source, int count, Accumulate<T> rest) {
  LanesOf<T, N> lanes(rest);
  for (int i = 0; i < count; ++i) lanes.set(i, widen(source[i]));
  return lanes;
}

/// Stores N elements; alignment as for load.
template <int N, class T>
GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes) {
#if defined(GABLE_ARRAY_LANES)
  *reinterpret_cast<Pack<T, N>*>(target) = narrow_pack<T, N>(lanes);
#else
  const Pack<T, N> pack = narrow_pack<T, N>(lanes);
  std::memcpy(target, &pack, sizeof pack);
#endif
}

/// Stores the first `count` (< N) elements.
template <int N, class T>
GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes, int count) {
  for (int i = 0; i < count; ++i) target[i] = narrow<T>(lanes[i]);
}

}  // namespace gable::device
