#pragma once
// 32-byte register types of avx2.cpp; see loops.hpp for the rules.
#include <immintrin.h>

#include <cstddef>

namespace gable::isa {
namespace {

struct Fp64 {
  using Reg = __m256d;
  static constexpr std::size_t bytes() { return 32; }
  static Reg load(const void* p) { return _mm256_load_pd(static_cast<const double*>(p)); }
  static Reg set(double x) { return _mm256_set1_pd(x); }
  static Reg zero() { return _mm256_setzero_pd(); }
  static Reg add(Reg a, Reg b) { return _mm256_add_pd(a, b); }
  static Reg sub(Reg a, Reg b) { return _mm256_sub_pd(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm256_mul_pd(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_pd(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return _mm256_fnmadd_pd(a, b, c); }
  static Reg exclusive_or(Reg a, Reg b) { return _mm256_xor_pd(a, b); }
  /// x 2^n, n in the low bits of `shifted`.
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    const auto n = _mm256_slli_epi64(_mm256_castpd_si256(shifted), mantissa);
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(x), n));
  }
  static void store(void* p, Reg x) { _mm256_storeu_pd(static_cast<double*>(p), x); }
};

struct Fp32 {
  using Reg = __m256;
  static constexpr std::size_t bytes() { return 32; }
  static Reg load(const void* p) { return _mm256_load_ps(static_cast<const float*>(p)); }
  static Reg set(float x) { return _mm256_set1_ps(x); }
  static Reg add(Reg a, Reg b) { return _mm256_add_ps(a, b); }
  static Reg sub(Reg a, Reg b) { return _mm256_sub_ps(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm256_mul_ps(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return _mm256_fnmadd_ps(a, b, c); }
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    const auto n = _mm256_slli_epi32(_mm256_castps_si256(shifted), mantissa);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), n));
  }
  static void store(void* p, Reg x) { _mm256_storeu_ps(static_cast<float*>(p), x); }
};

template <class T>
struct Scalar {
  using Reg = T;
  static constexpr std::size_t bytes() { return sizeof(T); }
  static Reg load(const void* p) { return *static_cast<const T*>(p); }
  static Reg add(Reg a, Reg b) { return a + b; }
  static Reg fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
  static Reg fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static void store(void* p, Reg x) { *static_cast<T*>(p) = x; }
};

struct Int32 {
  using Reg = __m256i;
  static constexpr std::size_t bytes() { return 32; }
  static Reg load(const void* p) { return _mm256_load_si256(static_cast<const __m256i*>(p)); }
  static Reg add(Reg a, Reg b) { return _mm256_add_epi32(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm256_mullo_epi32(a, b); }
  static void store(void* p, Reg x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
};

/// Eight 2-byte elements in half a register.
struct Half {
  using Reg = __m128i;
  static Reg load(const void* p) { return _mm_load_si128(static_cast<const __m128i*>(p)); }
  static void store(void* p, Reg x) { _mm_storeu_si128(static_cast<__m128i*>(p), x); }
};

}  // namespace
}  // namespace gable::isa
