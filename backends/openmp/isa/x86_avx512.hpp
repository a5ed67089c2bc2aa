#pragma once
// 64-byte register types of the avx512 files; see loops.hpp for the rules.
#include <immintrin.h>

#include <cstddef>

namespace gable::isa {
namespace {

struct Fp64 {
  using Reg = __m512d;
  static constexpr std::size_t bytes() { return 64; }
  static Reg load(const void* p) { return _mm512_load_pd(static_cast<const double*>(p)); }
  static Reg set(double x) { return _mm512_set1_pd(x); }
  static Reg zero() { return _mm512_setzero_pd(); }
  static Reg add(Reg a, Reg b) { return _mm512_add_pd(a, b); }
  static Reg sub(Reg a, Reg b) { return _mm512_sub_pd(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm512_mul_pd(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_pd(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return _mm512_fnmadd_pd(a, b, c); }
  static Reg exclusive_or(Reg a, Reg b) { return _mm512_xor_pd(a, b); }
  /// x 2^n, n in the low bits of `shifted`.
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    const auto n = _mm512_slli_epi64(_mm512_castpd_si512(shifted), mantissa);
    return _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(x), n));
  }
  static void store(void* p, Reg x) { _mm512_storeu_pd(static_cast<double*>(p), x); }
};

struct Fp32 {
  using Reg = __m512;
  static constexpr std::size_t bytes() { return 64; }
  static Reg load(const void* p) { return _mm512_load_ps(static_cast<const float*>(p)); }
  static Reg set(float x) { return _mm512_set1_ps(x); }
  static Reg add(Reg a, Reg b) { return _mm512_add_ps(a, b); }
  static Reg sub(Reg a, Reg b) { return _mm512_sub_ps(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm512_mul_ps(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return _mm512_fnmadd_ps(a, b, c); }
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    const auto n = _mm512_slli_epi32(_mm512_castps_si512(shifted), mantissa);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(x), n));
  }
  static void store(void* p, Reg x) { _mm512_storeu_ps(static_cast<float*>(p), x); }
};

struct Int32 {
  using Reg = __m512i;
  static constexpr std::size_t bytes() { return 64; }
  static Reg load(const void* p) { return _mm512_load_si512(p); }
  static Reg add(Reg a, Reg b) { return _mm512_add_epi32(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm512_mullo_epi32(a, b); }
  static void store(void* p, Reg x) { _mm512_storeu_si512(p, x); }
};

/// Sixteen 2-byte elements in half a register.
struct Half {
  using Reg = __m256i;
  static Reg load(const void* p) { return _mm256_load_si256(static_cast<const __m256i*>(p)); }
  static void store(void* p, Reg x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
};

}  // namespace
}  // namespace gable::isa
