#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "operators/device/lanes.hpp"
#include "operators/device/storage.hpp"

namespace gable::device {

/// Elements a thread takes per step. GPU: 16 bytes of storage, the widest access. Host: two vector registers of
/// accumulate type, because one dependent chain of instructions (an exponential) leaves most of a core idle.
template <class T>
#if defined(GABLE_ARRAY_LANES)
inline constexpr int pack_size = 16 / static_cast<int>(sizeof(T));
#else
inline constexpr int pack_size = 2 * register_bytes / static_cast<int>(sizeof(Accumulate<T>));
#endif

template <class T, int N = pack_size<T>>
using LanesOf = Lanes<Accumulate<T>, N>;

#if defined(GABLE_ARRAY_LANES)
/// N elements of storage type T that a GPU thread moves in 16-byte accesses.
template <class T, int N>
struct alignas(N * sizeof(T) <= 16 ? N * sizeof(T) : 16) Pack {
  T element[N];
};
#else
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

/// One part of Lanes<Accumulate<T>, N>, `width` elements, in the instruction set's own conversion where there is one.
/// Copies go through register variables, never through an object in memory.
template <class T, int width>
GABLE_FUNCTION typename VectorOf<Accumulate<T>, width>::type load_part(const T* source) {
  using Part = typename VectorOf<Accumulate<T>, width>::type;
  if constexpr (std::is_same_v<T, Accumulate<T>>) {
    Part values;
    std::memcpy(&values, source, sizeof values);
    return values;
#if defined(__AVX512F__)
  } else if constexpr (std::is_same_v<T, Fp16> && width == 16) {
    return Part(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(source))));
#endif
#if defined(__F16C__)
  } else if constexpr (std::is_same_v<T, Fp16> && width == 8) {
    return Part(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source))));
#endif
  } else if constexpr (std::is_same_v<T, Bf16>) {
    typename VectorOf<std::uint16_t, width>::type bits;
    std::memcpy(&bits, source, sizeof bits);
    return Part(zero_extend(bits, typename VectorOf<std::uint32_t, width>::type{}) << 16);
  } else {
    Part values;
    for (int i = 0; i < width; ++i) values[i] = widen(source[i]);
    return values;
  }
}

/// The bits of floats rounded to bf16, in the low halves; not for NaN, whose payload may overflow.
template <class Floats>
GABLE_FUNCTION auto rounded_to_bf16(Floats values) {
  using Bits = typename VectorOf<std::uint32_t, sizeof(Floats) / 4>::type;
  const Bits bits = Bits(values);
  return Bits((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

template <class T, int width>
GABLE_FUNCTION void store_part(T* target, typename VectorOf<Accumulate<T>, width>::type values) {
  if constexpr (std::is_same_v<T, Accumulate<T>>) {
    std::memcpy(target, &values, sizeof values);
#if defined(__AVX512F__)
  } else if constexpr (std::is_same_v<T, Fp16> && width == 16) {
    const __m256i halves = _mm512_cvtps_ph(__m512(values), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), halves);
#endif
#if defined(__F16C__)
  } else if constexpr (std::is_same_v<T, Fp16> && width == 8) {
    __m128i halves = _mm256_cvtps_ph(__m256(values), _MM_FROUND_TO_NEAREST_INT);
    asm("" : "+x"(halves));  // through a register: Zen 3 takes twice as long to convert into memory
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target), halves);
#endif
  } else if constexpr (std::is_same_v<T, Bf16>) {
    const auto rounded = rounded_to_bf16(values);
    const auto quiet = (decltype(rounded)(values) | 0x400000U) >> 16;
    const auto halves = truncate(decltype(rounded)(values == values ? rounded : quiet),  // NOLINT: not for NaN
                                 typename VectorOf<std::uint16_t, width>::type{});
    std::memcpy(target, &halves, sizeof halves);
  } else {
    for (int i = 0; i < width; ++i) target[i] = narrow<T>(values[i]);
  }
}
#endif

#if defined(__AVX2__) && !defined(GABLE_ARRAY_LANES)
/// Sixteen bf16 at once, packed by one instruction. True if done: NaN, which is rare, is left to store_part.
GABLE_FUNCTION bool store_sixteen(Bf16* target, const Lanes<float, 16>& lanes) {
  if constexpr (Lanes<float, 16>::parts != 2) return false;
  const __m256 low = __m256(lanes.part[0]), high = __m256(lanes.part[1]);
  if (__builtin_expect(_mm256_movemask_ps(_mm256_cmp_ps(low, high, _CMP_UNORD_Q)) != 0, 0)) return false;
  const __m256i packed =
      _mm256_packus_epi32(__m256i(rounded_to_bf16(lanes.part[0])), __m256i(rounded_to_bf16(lanes.part[1])));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), _mm256_permute4x64_epi64(packed, 0xd8));
  return true;
}
#endif

#if defined(__AVX2__) && !defined(GABLE_ARRAY_LANES)
/// Sixteen floats, those of the even elements in the first part, as bf16 in memory order. Upper and lower halves of all
/// sixteen are collected first, so that rounding to nearest even is done once on words: up where the lower half exceeds
/// 0x8000, or equals it and the upper half is odd.
GABLE_FUNCTION void store_halves(Bf16* target, const Lanes<float, 16>& lanes) {
  const __m256 first = __m256(lanes.part[0]), second = __m256(lanes.part[1]);
  if (__builtin_expect(_mm256_movemask_ps(_mm256_cmp_ps(first, second, _CMP_UNORD_Q)) != 0, 0)) {
    for (int i = 0; i < 16; ++i) target[i] = narrow<Bf16>(lanes[i % 2 * 8 + i / 2]);  // NaN, whose payload may overflow
    return;
  }
  const __m256i even = __m256i(first), odd = __m256i(second);
  const __m256i upper = _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xaa);
  const __m256i lower = _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xaa);
  const __m256i is_even = _mm256_andnot_si256(upper, _mm256_set1_epi16(1));
  const __m256i up = _mm256_srli_epi16(_mm256_subs_epu16(lower, is_even), 15);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), _mm256_add_epi16(upper, up));
}
/// As store_halves, but half-way cases go up, which takes 4 instructions instead of 8; a NaN whose lower half is not
/// zero may become a number. Arithmetic on widened bf16 makes no such NaN.
GABLE_FUNCTION void store_halves_any_tie(Bf16* target, const Lanes<float, 16>& lanes) {
  const __m256i half = _mm256_set1_epi32(0x8000);
  const __m256i even = _mm256_srli_epi32(_mm256_add_epi32(__m256i(lanes.part[0]), half), 16);
  const __m256i odd = _mm256_add_epi32(__m256i(lanes.part[1]), half);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), _mm256_blend_epi16(even, odd, 0xaa));
}
#endif

/// Loads N elements as a whole. On GPUs source must be aligned to the pack; on hosts any address does.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load(const T* source) {
  LanesOf<T, N> lanes;
#if defined(GABLE_ARRAY_LANES)
  const Pack<T, N> pack = *reinterpret_cast<const Pack<T, N>*>(source);
  for (int i = 0; i < N; ++i) lanes.set(i, widen(pack.element[i]));
#else
  constexpr int width = LanesOf<T, N>::width;
  for (int p = 0; p < lanes.parts; ++p) lanes.part[p] = load_part<T, width>(source + p * width);
#endif
  return lanes;
}

/// Stores N elements, rounded to nearest even; alignment as for load.
template <int N, class T>
GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes) {
#if defined(GABLE_ARRAY_LANES)
  Pack<T, N> pack;
  for (int i = 0; i < N; ++i) pack.element[i] = narrow<T>(lanes[i]);
  *reinterpret_cast<Pack<T, N>*>(target) = pack;
#else
  constexpr int width = LanesOf<T, N>::width;
#if defined(__AVX2__)
  if constexpr (std::is_same_v<T, Bf16> && N == 16) {
    if (store_sixteen(target, lanes)) return;
  }
#endif
  for (int p = 0; p < lanes.parts; ++p) store_part<T, width>(target + p * width, lanes.part[p]);
#endif
}

/// Whether load_any_order has an order of its own for T: sixteen bf16 on AVX2.
template <int N, class T>
inline constexpr bool halves_apart =
#if defined(__AVX2__) && !defined(GABLE_ARRAY_LANES)
    std::is_same_v<T, Bf16>&& N == 16 && Lanes<float, 16>::parts == 2;
#else
    false;
#endif

/// As load, in whatever order of lanes costs least (bf16 on AVX2: even elements, then odd ones, by a shift and a mask
/// where memory order takes shuffles). store_any_order of the same T and N undoes it. Only for elements that do not
/// meet lanes of another order: operands of one T, sums and maxima.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load_any_order(const T* source) {
#if !defined(GABLE_ARRAY_LANES)
  if constexpr (halves_apart<N, T>) {
    using Bits = typename VectorOf<std::uint32_t, LanesOf<T, N>::width>::type;
    using Part = typename LanesOf<T, N>::Part;
    Bits both;
    std::memcpy(&both, source, sizeof both);
    LanesOf<T, N> lanes;
    lanes.part[0] = Part(both << 16);
    lanes.part[1] = Part(both & 0xffff0000U);
    return lanes;
  }
#endif
  return load<N>(source);
}
/// any_tie: half-way cases between two numbers of T may be rounded to either, and NaN must be one that arithmetic on
/// elements of T makes.
template <int N, bool any_tie = false, class T>
GABLE_FUNCTION void store_any_order(T* target, const LanesOf<T, N>& lanes) {
#if defined(__AVX2__) && !defined(GABLE_ARRAY_LANES)
  if constexpr (halves_apart<N, T> && any_tie) return store_halves_any_tie(target, lanes);
  if constexpr (halves_apart<N, T>) return store_halves(target, lanes);
#endif
  store<N>(target, lanes);
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
