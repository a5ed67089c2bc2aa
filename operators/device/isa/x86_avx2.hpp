#pragma once
#include "operators/device/function.hpp"
#include "operators/device/isa/x86_f16c.hpp"

/// x86-64-v3: registers of 32 bytes, AVX2. A processor that has AVX alone takes registers of 16 bytes.
#if defined(__AVX2__) && !defined(GABLE_ARRAY_LANES)
#include <immintrin.h>

namespace gable::device::isa {

template <>
struct Register<float, 8> : PortableRegister<float, 8> {
  static GABLE_FUNCTION Vector root(Vector x) { return Vector(_mm256_sqrt_ps(__m256(x))); }
  /// The compiler would compare and blend, which takes two instructions.
  static GABLE_FUNCTION Vector greater(Vector x, Vector y) { return Vector(_mm256_max_ps(__m256(x), __m256(y))); }
  static GABLE_FUNCTION Vector lesser(Vector x, Vector y) { return Vector(_mm256_min_ps(__m256(x), __m256(y))); }
  /// The instruction's 12 bits and one step of Newton's: 23 bits, in half the time of root and division. Numbers that
  /// large are infinity to it, for which the step would make a NaN; a NaN stays one.
  static GABLE_FUNCTION Vector inverse_root(Vector x) {
    const __m256 finite = _mm256_min_ps(_mm256_set1_ps(0x1p127F), __m256(x));
    const __m256 guess = _mm256_rsqrt_ps(finite);
    const __m256 half = _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(-0.5F), finite), guess);
    return Vector(_mm256_mul_ps(guess, _mm256_add_ps(_mm256_set1_ps(1.5F), _mm256_mul_ps(half, guess))));
  }
  /// AMD's and Intel's manuals state the error.
  static GABLE_FUNCTION Vector rough_quotient(Vector x, Vector y) { return x * Vector(_mm256_rcp_ps(__m256(y))); }
  static GABLE_FUNCTION VectorOf<float, 4>::type sums_of_four(Vector a, Vector b, Vector c, Vector d) {
    const __m256 low = _mm256_hadd_ps(__m256(a), __m256(b));
    const __m256 high = _mm256_hadd_ps(__m256(c), __m256(d));
    const __m256 four = _mm256_hadd_ps(low, high);
    return VectorOf<float, 4>::type(_mm_add_ps(_mm256_castps256_ps128(four), _mm256_extractf128_ps(four, 1)));
  }
  static GABLE_FUNCTION void keep(Vector& x) { asm("" : "+x"(x)); }
};

template <>
struct Register<double, 4> : PortableRegister<double, 4> {
  static GABLE_FUNCTION Vector root(Vector x) { return Vector(_mm256_sqrt_pd(__m256d(x))); }
  static GABLE_FUNCTION Vector greater(Vector x, Vector y) { return Vector(_mm256_max_pd(__m256d(x), __m256d(y))); }
  static GABLE_FUNCTION Vector lesser(Vector x, Vector y) { return Vector(_mm256_min_pd(__m256d(x), __m256d(y))); }
  static GABLE_FUNCTION void keep(Vector& x) { asm("" : "+x"(x)); }
};

template <>
struct Integers<8> : PortableIntegers<8> {
  static GABLE_FUNCTION Vector add_dot_of_pairs(Vector sum, Vector x, Vector y) {
#if defined(__AVXVNNI__)
    return Vector(_mm256_dpwssd_avx_epi32(__m256i(sum), __m256i(x), __m256i(y)));
#else
    return sum + Vector(_mm256_madd_epi16(__m256i(x), __m256i(y)));
#endif
  }
  static GABLE_FUNCTION bool are_neighbours(const std::int32_t* index) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    const __m256i wanted = _mm256_add_epi32(_mm256_set1_epi32(*index), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(all, wanted)) == -1;
  }
  static GABLE_FUNCTION bool any_negative(const std::int32_t* index) {
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)))) != 0;
  }
};

/// The compiler's own conversions and selections take several instructions where AVX2 has one.
template <>
struct Halves<8> : PortableHalves<8> {
  static GABLE_FUNCTION Words widened(Narrow x) { return Words(_mm256_cvtepu16_epi32(__m128i(x))); }
  static GABLE_FUNCTION Narrow narrowed(Words x) {
    const __m256i all = __m256i(x);
    return Narrow(_mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
  }
  static GABLE_FUNCTION Twice both_narrowed(Words x, Words y) {
    return Twice(_mm256_permute4x64_epi64(_mm256_packus_epi32(__m256i(x), __m256i(y)), 0xd8));
  }
  static GABLE_FUNCTION Words blended(Words x, Words y) {
    return Words(_mm256_blend_epi16(__m256i(x), __m256i(y), 0xaa));
  }
  static GABLE_FUNCTION Twice minus_saturated(Twice x, Twice y) {
    return Twice(_mm256_subs_epu16(__m256i(x), __m256i(y)));
  }
  static GABLE_FUNCTION bool any_nan(Floats x, Floats y) {
    return _mm256_movemask_ps(_mm256_cmp_ps(__m256(x), __m256(y), _CMP_UNORD_Q)) != 0;
  }
};

template <>
struct PastCaches<32> : PastCaches<16> {
  using Vector = VectorOf<std::uint8_t, 32>::type;
  static GABLE_FUNCTION void store(void* target, Vector x) {
    _mm256_stream_si256(static_cast<__m256i*>(target), __m256i(x));
  }
};

}  // namespace gable::device::isa
#endif
