#pragma once
#include <cstring>

#include "operators/device/isa/isa.hpp"
#include "operators/device/storage.hpp"

#if !defined(GABLE_ARRAY_LANES)
namespace gable::device {

/// bf16 in memory to registers of `width` floats, and back.
template <int width>
GABLE_FUNCTION typename VectorOf<float, width>::type load_bf16(const Bf16* source) {
  using Halves = isa::Halves<width>;
  typename Halves::Narrow bits;
  std::memcpy(&bits, source, sizeof bits);
  return typename Halves::Floats(Halves::widened(bits) << 16);
}

/// The bits of floats rounded to bf16, in the low halves; not for NaN, whose payload may overflow.
template <class Words, class Floats>
GABLE_FUNCTION Words rounded_to_bf16(Floats values) {
  const Words bits = Words(values);
  return (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
}
template <int width>
GABLE_FUNCTION void store_bf16(Bf16* target, typename VectorOf<float, width>::type values) {
  using Halves = isa::Halves<width>;
  using Words = typename Halves::Words;
  const Words rounded = rounded_to_bf16<Words>(values);
  const Words quiet = (Words(values) | 0x400000U) >> 16;
  const auto halves = Halves::narrowed(values == values ? rounded : quiet);  // NOLINT: not for NaN
  std::memcpy(target, &halves, sizeof halves);
}
/// Two registers at once; NaN, which is rare, one after the other.
template <int width>
GABLE_FUNCTION void store_both_bf16(Bf16* target, typename VectorOf<float, width>::type first,
                                    typename VectorOf<float, width>::type second) {
  using Halves = isa::Halves<width>;
  using Words = typename Halves::Words;
  if (__builtin_expect(Halves::any_nan(first, second), 0)) {
    store_bf16<width>(target, first);
    store_bf16<width>(target + width, second);
    return;
  }
  const auto halves = Halves::both_narrowed(rounded_to_bf16<Words>(first), rounded_to_bf16<Words>(second));
  std::memcpy(target, &halves, sizeof halves);
}

/// Even elements to one register, odd ones to the other, which takes no shuffle.
template <int width>
GABLE_FUNCTION void load_bf16_apart(const Bf16* source, typename VectorOf<float, width>::type& even,
                                    typename VectorOf<float, width>::type& odd) {
  using Halves = isa::Halves<width>;
  typename Halves::Words both;
  std::memcpy(&both, source, sizeof both);
  even = typename Halves::Floats(both << 16);
  odd = typename Halves::Floats(both & 0xffff0000U);
}
/// Upper and lower halves of all are collected first, so that rounding to nearest even is done once on words: up where
/// the lower half exceeds 0x8000, or equals it and the upper half is odd.
template <int width>
GABLE_FUNCTION void store_bf16_apart(Bf16* target, typename VectorOf<float, width>::type even,
                                     typename VectorOf<float, width>::type odd) {
  using Halves = isa::Halves<width>;
  using Words = typename Halves::Words;
  using Twice = typename Halves::Twice;
  if (__builtin_expect(Halves::any_nan(even, odd), 0)) {  // whose payload may overflow
    for (int i = 0; i < 2 * width; ++i) target[i] = narrow<Bf16>(i % 2 == 0 ? even[i / 2] : odd[i / 2]);
    return;
  }
  const Twice upper = Twice(Halves::blended(Words(even) >> 16, Words(odd)));
  const Twice lower = Twice(Halves::blended(Words(even), Words(odd) << 16));
  const Twice is_even = ~upper & 1;
  const Twice up = Halves::minus_saturated(lower, is_even) >> 15;
  const Twice halves = upper + up;
  std::memcpy(target, &halves, sizeof halves);
}
/// The same, but half-way cases go up, which takes 4 instructions instead of 8; a NaN whose lower half is not zero may
/// become a number. Arithmetic on widened bf16 makes no such NaN. Subnormals are kept, which AVX-512's own conversion
/// does not do.
template <int width>
GABLE_FUNCTION void store_bf16_apart_ties_unspecified(Bf16* target, typename VectorOf<float, width>::type even,
                                                      typename VectorOf<float, width>::type odd) {
  using Halves = isa::Halves<width>;
  using Words = typename Halves::Words;
  const Words halves = Halves::blended((Words(even) + 0x8000U) >> 16, Words(odd) + 0x8000U);
  std::memcpy(target, &halves, sizeof halves);
}

}  // namespace gable::device
#endif
