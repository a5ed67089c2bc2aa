#pragma once
#include "operators/device/function.hpp"
#include "operators/device/isa/portable.hpp"

/// x86-64-v2: registers of 16 bytes, SSE4.1. An older processor takes the portable form.
#if defined(__SSE4_1__) && !defined(GABLE_ARRAY_LANES)
#include <immintrin.h>

namespace gable::device::isa {

template <>
struct Register<float, 4> : PortableRegister<float, 4> {
  static GABLE_FUNCTION Vector root(Vector x) { return Vector(_mm_sqrt_ps(__m128(x))); }
  static GABLE_FUNCTION Vector greater(Vector x, Vector y) { return Vector(_mm_max_ps(__m128(x), __m128(y))); }
  static GABLE_FUNCTION Vector lesser(Vector x, Vector y) { return Vector(_mm_min_ps(__m128(x), __m128(y))); }
  /// As in x86_avx2.hpp.
  static GABLE_FUNCTION Vector inverse_root(Vector x) {
    const Vector finite = Vector(_mm_min_ps(_mm_set1_ps(0x1p127F), __m128(x)));
    const Vector guess = Vector(_mm_rsqrt_ps(__m128(finite)));
    return guess * (1.5F + -0.5F * finite * guess * guess);
  }
  static GABLE_FUNCTION Vector rough_quotient(Vector x, Vector y) { return x * Vector(_mm_rcp_ps(__m128(y))); }
  static GABLE_FUNCTION void keep(Vector& x) { asm("" : "+x"(x)); }
};

template <>
struct Register<double, 2> : PortableRegister<double, 2> {
  static GABLE_FUNCTION Vector root(Vector x) { return Vector(_mm_sqrt_pd(__m128d(x))); }
  static GABLE_FUNCTION Vector greater(Vector x, Vector y) { return Vector(_mm_max_pd(__m128d(x), __m128d(y))); }
  static GABLE_FUNCTION Vector lesser(Vector x, Vector y) { return Vector(_mm_min_pd(__m128d(x), __m128d(y))); }
  static GABLE_FUNCTION void keep(Vector& x) { asm("" : "+x"(x)); }
};

template <>
struct Integers<4> : PortableIntegers<4> {
  static GABLE_FUNCTION Vector add_dot_of_pairs(Vector sum, Vector x, Vector y) {
    return sum + Vector(_mm_madd_epi16(__m128i(x), __m128i(y)));
  }
  static GABLE_FUNCTION bool any_negative(const std::int32_t* index) {
    return _mm_movemask_ps(_mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(index)))) != 0;
  }
};

template <>
struct Halves<4> : PortableHalves<4> {
  static GABLE_FUNCTION Twice both_narrowed(Words x, Words y) {
    return Twice(_mm_packus_epi32(__m128i(x), __m128i(y)));
  }
  static GABLE_FUNCTION Words blended(Words x, Words y) { return Words(_mm_blend_epi16(__m128i(x), __m128i(y), 0xaa)); }
  static GABLE_FUNCTION Twice minus_saturated(Twice x, Twice y) {
    return Twice(_mm_subs_epu16(__m128i(x), __m128i(y)));
  }
  static GABLE_FUNCTION bool any_nan(Floats x, Floats y) {
    return _mm_movemask_ps(_mm_cmpunord_ps(__m128(x), __m128(y))) != 0;
  }
};

template <>
struct PastCaches<16> {
  using Vector = VectorOf<std::uint8_t, 16>::type;
  static GABLE_FUNCTION void store(void* target, Vector x) {
    _mm_stream_si128(static_cast<__m128i*>(target), __m128i(x));
  }
  static GABLE_FUNCTION void fence() { _mm_sfence(); }
};

}  // namespace gable::device::isa
#endif
