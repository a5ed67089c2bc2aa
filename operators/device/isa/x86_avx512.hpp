#pragma once
#include "operators/device/function.hpp"
#include "operators/device/isa/x86_avx2.hpp"

/// x86-64-v4: registers of 64 bytes, AVX-512 F, BW, DQ and VL. VNNI where it is compiled for. Not the conversion
/// vcvtneps2bf16: it takes subnormals for 0, and its results come in memory order, which costs more shuffles than the
/// four instructions that it replaces.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && \
    !defined(GABLE_ARRAY_LANES)
#include <immintrin.h>

namespace gable::device::isa {

/// Masks of all lanes. The plain forms of some intrinsics start from a value that is not initialised, of which GCC 12
/// warns; these make the same instructions.
inline constexpr __mmask16 all16 = 0xffff;
inline constexpr __mmask8 all8 = 0xff;

template <>
struct Register<float, 16> : PortableRegister<float, 16> {
  static GABLE_FUNCTION Vector root(Vector x) { return Vector(_mm512_maskz_sqrt_ps(all16, __m512(x))); }
  static GABLE_FUNCTION Vector greater(Vector x, Vector y) {
    return Vector(_mm512_maskz_max_ps(all16, __m512(x), __m512(y)));
  }
  static GABLE_FUNCTION Vector lesser(Vector x, Vector y) {
    return Vector(_mm512_maskz_min_ps(all16, __m512(x), __m512(y)));
  }
  /// The instruction's 14 bits and one step of Newton's; as in x86_avx2.hpp.
  static GABLE_FUNCTION Vector inverse_root(Vector x) {
    const Vector finite = lesser(Vector{} + 0x1p127F, x);
    const Vector guess = Vector(_mm512_maskz_rsqrt14_ps(all16, __m512(finite)));
    return guess * (1.5F + -0.5F * finite * guess * guess);
  }
  static GABLE_FUNCTION Vector rough_quotient(Vector x, Vector y) {
    return x * Vector(_mm512_maskz_rcp14_ps(all16, __m512(y)));
  }
  static GABLE_FUNCTION void keep(Vector& x) { asm("" : "+v"(x)); }
};

template <>
struct Register<double, 8> : PortableRegister<double, 8> {
  static GABLE_FUNCTION Vector root(Vector x) { return Vector(_mm512_maskz_sqrt_pd(all8, __m512d(x))); }
  static GABLE_FUNCTION Vector greater(Vector x, Vector y) {
    return Vector(_mm512_maskz_max_pd(all8, __m512d(x), __m512d(y)));
  }
  static GABLE_FUNCTION Vector lesser(Vector x, Vector y) {
    return Vector(_mm512_maskz_min_pd(all8, __m512d(x), __m512d(y)));
  }
  static GABLE_FUNCTION void keep(Vector& x) { asm("" : "+v"(x)); }
};

template <>
struct Integers<16> : PortableIntegers<16> {
  static GABLE_FUNCTION Vector add_dot_of_pairs(Vector sum, Vector x, Vector y) {
#if defined(__AVX512VNNI__)
    return Vector(_mm512_dpwssd_epi32(__m512i(sum), __m512i(x), __m512i(y)));
#else
    return sum + Vector(_mm512_madd_epi16(__m512i(x), __m512i(y)));
#endif
  }
  static GABLE_FUNCTION bool are_neighbours(const std::int32_t* index) {
    const __m512i wanted = _mm512_add_epi32(_mm512_set1_epi32(*index),
                                            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    return _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(index), wanted) == 0;
  }
  static GABLE_FUNCTION bool any_negative(const std::int32_t* index) {
    return _mm512_movepi32_mask(_mm512_loadu_si512(index)) != 0;
  }
};

template <>
struct Halves<16> : PortableHalves<16> {
  static GABLE_FUNCTION Words widened(Narrow x) { return Words(_mm512_maskz_cvtepu16_epi32(all16, __m256i(x))); }
  static GABLE_FUNCTION Narrow narrowed(Words x) { return Narrow(_mm512_maskz_cvtepi32_epi16(all16, __m512i(x))); }
  static GABLE_FUNCTION Words blended(Words x, Words y) {
    return Words(_mm512_mask_blend_epi16(0xaaaaaaaaU, __m512i(x), __m512i(y)));
  }
  static GABLE_FUNCTION Twice minus_saturated(Twice x, Twice y) {
    return Twice(_mm512_subs_epu16(__m512i(x), __m512i(y)));
  }
  static GABLE_FUNCTION bool any_nan(Floats x, Floats y) {
    return _mm512_cmp_ps_mask(__m512(x), __m512(y), _CMP_UNORD_Q) != 0;
  }
};

template <>
struct Fp16Vector<16> : PortableFp16<16> {
  static GABLE_FUNCTION Floats load(const Fp16* source) {
    return Floats(_mm512_maskz_cvtph_ps(all16, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source))));
  }
  static GABLE_FUNCTION void store(Fp16* target, Floats x) {
    const __m256i halves = _mm512_maskz_cvtps_ph(all16, __m512(x), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), halves);
  }
};

template <>
struct PastCaches<64> : PastCaches<16> {
  using Vector = VectorOf<std::uint8_t, 64>::type;
  static GABLE_FUNCTION void store(void* target, Vector x) {
    _mm512_stream_si512(static_cast<__m512i*>(target), __m512i(x));
  }
};

}  // namespace gable::device::isa
#endif
