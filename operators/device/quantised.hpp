#pragma once
#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "operators/device/chunk.hpp"
#include "operators/device/pack.hpp"

namespace gable::device {

/// Elements of quantised storage type W (int8, fp8_e4m3, int4) in 32 bits.
template <class W>
inline constexpr int per_word = 4 * elements_of<W>;

/// Element i of a word of weights. Integers by way of a float's mantissa: GPUs convert them at a quarter of the rate of
/// other arithmetic.
template <class W>
GABLE_FUNCTION float weight_of(std::uint32_t word, int i) {
  if constexpr (std::is_same_v<W, Fp8E4m3>) {
    return widen(Fp8E4m3{static_cast<std::uint8_t>(word >> 8 * i)});
  } else if constexpr (std::is_same_v<W, Int4Pair>) {
    return std::bit_cast<float>((((word ^ 0x88888888U) >> 4 * i) & 15U) | 0x4b000000U) - (0x1p23F + 8.0F);
  } else {
    return std::bit_cast<float>((((word ^ 0x80808080U) >> 8 * i) & 255U) | 0x4b000000U) - (0x1p23F + 128.0F);
  }
}

/// Sum of w_j x_j for the elements that `count` objects of storage type W hold.
template <class W, class X>
GABLE_FUNCTION float dot_in_turn(const W* w, const X* x, Index count) {
  float sum = 0;
  for (Index j = 0; j < count; ++j) {
    const std::uint32_t word = std::bit_cast<std::uint8_t>(w[j]);
    for (int i = 0; i < elements_of<W>; ++i) sum += weight_of<W>(word, i) * widen(x[j * elements_of<W> + i]);
  }
  return sum;
}

#if defined(GABLE_ARRAY_LANES)
/// The same for 16 bytes of weights; x is aligned to 16 bytes.
template <class W, int N, class X>
GABLE_FUNCTION float dot_of_pack(const Pack<W, N>& weights, const X* x) {
  constexpr int elements = N * elements_of<W>, at_once = 16 / static_cast<int>(sizeof(X));
  const auto words = *reinterpret_cast<const Pack<std::uint32_t, 4>*>(&weights);
  float sum = 0;
#pragma unroll
  for (int first = 0; first < elements; first += at_once) {
    const LanesOf<X, at_once> along = load<at_once>(x + first);
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      sum += weight_of<W>(words.element[(first + i) / per_word<W>], (first + i) % per_word<W>) * along[i];
    }
  }
  return sum;
}
#else
/// A block: as many words as a vector register has. Their i-th elements are `words_at_once` values that lie per_word
/// apart; x is arranged alike, so that no shuffle is needed.
inline constexpr int words_at_once = register_bytes / 4;
template <class W>
inline constexpr int block_elements = words_at_once* per_word<W>;
using WeightLanes = Lanes<float, words_at_once>;
using WeightWords = typename VectorOf<std::int32_t, words_at_once>::type;

/// weights_of<W> are the weights times weight_scale<W>, x is arranged with along_scale<W>: so the exponents of fp8,
/// which are 120 too small in a float, need no product of their own, and no product of a weight and an x underflows.
template <class W>
inline constexpr float weight_scale = std::is_same_v<W, Fp8E4m3> ? 0x1p-120F : 1.0F;
template <class W>
inline constexpr float along_scale = std::is_same_v<W, Fp8E4m3> ? 0x1p100F : 1.0F;

/// The whole blocks of x, arranged, widened and scaled.
template <class W, class X>
struct Arrange {
  const X* x;
  float* arranged;
  KOKKOS_INLINE_FUNCTION void operator()(Index block) const {
    const X* from = x + block * block_elements<W>;
    float* to = arranged + block * block_elements<W>;
    for (int word = 0; word < words_at_once; ++word) {
      for (int i = 0; i < per_word<W>; ++i)
        to[i * words_at_once + word] = widen(from[word * per_word<W> + i]) * along_scale<W>;
    }
  }
};

/// Element i of each word, scaled. fp8: sign, exponent and mantissa in place of a float's.
template <class W>
GABLE_FUNCTION WeightLanes weights_of(WeightWords words, int i) {
  WeightLanes lanes;
  using Part = typename WeightLanes::Part;
  if constexpr (std::is_same_v<W, Fp8E4m3>) {
    const WeightWords bits = ((words << (24 - 8 * i)) >> 4) & static_cast<std::int32_t>(0x87f00000U);
    lanes.part[0] = Part(bits);
  } else {
    constexpr int bits = 32 / per_word<W>;
    lanes.part[0] = __builtin_convertvector((words << (32 - bits - bits * i)) >> (32 - bits), Part);
  }
  return lanes;
}

/// sums[r]: the products of `blocks` blocks of `rows` rows of weights, `stride` objects apart, with arranged x.
/// Prefetches the same blocks of the rows below: a row is too short for the hardware prefetcher.
template <class W, int rows>
GABLE_FUNCTION void add_blocks(WeightLanes (&sums)[rows], const W* w, Index stride, const float* arranged,
                               Index blocks) {
  WeightLanes odd[rows];
  for (int r = 0; r < rows; ++r) sums[r] = odd[r] = 0.0F;
  for (Index block = 0; block < blocks; ++block) {
    WeightWords words[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const W* const source = w + r * stride + block * register_bytes;
      WeightWords whole;  // not into words[r] at once, which goes through memory, in halves that wait for each other
      std::memcpy(&whole, source, sizeof whole);
      words[r] = whole;
      prefetch_read(source + rows * stride);
    }
#pragma GCC unroll 8
    for (int i = 0; i < per_word<W>; ++i) {
      const WeightLanes along = load<words_at_once>(arranged + block * block_elements<W> + i * words_at_once);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) (i % 2 == 0 ? sums : odd)[r] += along * weights_of<W>(words[r], i);
    }
  }
  for (int r = 0; r < rows; ++r) sums[r] = (sums[r] + odd[r]) * (1 / (weight_scale<W> * along_scale<W>));
}
#endif

}  // namespace gable::device
