#pragma once
#include <cmath>

#include "operators/device/function.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define GABLE_ARRAY_LANES 1
#elif defined(__AVX__)
#include <immintrin.h>
#endif

namespace gable::device {

/// Bytes of one vector register of the instruction set this file is compiled for; on GPUs one thread's widest access.
#if defined(GABLE_ARRAY_LANES)
inline constexpr int register_bytes = 16;
#elif defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

#if !defined(GABLE_ARRAY_LANES)
/// The compiler's vector of N elements of A.
template <class A, int N>
struct VectorOf {
  typedef A type __attribute__((vector_size(N * sizeof(A))));
};
#endif

/// N values of accumulate type A that one thread works on together. On hosts one vector register or several (the
/// compiler's vector extension, so nothing depends on an auto-vectoriser), in parts: an operation does one part after
/// the other, so that a core always has independent instructions side by side. On GPUs N registers of the thread.
template <class A, int N>
struct Lanes {
#if defined(GABLE_ARRAY_LANES)
  using Part = A;
  static constexpr int width = 1;
#else
  static constexpr int width = N * sizeof(A) > register_bytes ? register_bytes / static_cast<int>(sizeof(A)) : N;
  using Part = typename VectorOf<A, width>::type;
#endif
  static constexpr int parts = N / width;
  static_assert(parts * width == N);
  Part part[parts];

  Lanes() = default;
  /// Part by part: as one object the compiler would copy through memory.
  GABLE_FUNCTION Lanes(const Lanes& other) {
    for (int p = 0; p < parts; ++p) part[p] = other.part[p];
  }
  GABLE_FUNCTION Lanes& operator=(const Lanes& other) {  // NOLINT: right for itself, too
    for (int p = 0; p < parts; ++p) part[p] = other.part[p];
    return *this;
  }
  GABLE_FUNCTION Lanes(A value) {                              // implicit, so that operators mix lanes and numbers
    for (int p = 0; p < parts; ++p) part[p] = value - Part{};  // keeps -0, and folds into a broadcast
  }

  GABLE_FUNCTION A operator[](int i) const {
#if defined(GABLE_ARRAY_LANES)
    return part[i];
#else
    return part[i / width][i % width];
#endif
  }
  GABLE_FUNCTION void set(int i, A value) {
#if defined(GABLE_ARRAY_LANES)
    part[i] = value;
#else
    part[i / width][i % width] = value;
#endif
  }

  friend GABLE_FUNCTION Lanes operator+(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] += y.part[p];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator-(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] -= y.part[p];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator*(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] *= y.part[p];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator/(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] /= y.part[p];
    return x;
  }
  GABLE_FUNCTION Lanes& operator+=(Lanes y) { return *this = *this + y; }
  /// x where x > y, else y, per lane: a NaN in x yields y.
  friend GABLE_FUNCTION Lanes max(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] = greater(x.part[p], y.part[p]);
    return x;
  }
  /// x where x < y, else y, per lane: a NaN in x yields y.
  friend GABLE_FUNCTION Lanes min(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] = lesser(x.part[p], y.part[p]);
    return x;
  }

  friend GABLE_FUNCTION Lanes sqrt(Lanes x) {
    for (int p = 0; p < parts; ++p) x.part[p] = root(x.part[p]);
    return x;
  }

  /// Sum and maximum over the lanes, pairwise.
  friend GABLE_FUNCTION A sum(Lanes x) {
    for (int p = 1; p < parts; ++p) x.part[0] += x.part[p];
    for (int half = width / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) x.set(i, x[i] + x[i + half]);
    }
    return x[0];
  }
  friend GABLE_FUNCTION A maximum(Lanes x) {
    for (int p = 1; p < parts; ++p) x.part[0] = greater(x.part[0], x.part[p]);
    for (int half = width / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) x.set(i, x[i] > x[i + half] ? x[i] : x[i + half]);
    }
    return x[0];
  }

 private:
  static GABLE_FUNCTION Part root(Part x) {
#if defined(GABLE_ARRAY_LANES)
    return ::sqrt(x);
#else
#if defined(__AVX512F__)
    if constexpr (sizeof(Part) == 64 && sizeof(A) == 4) return Part(_mm512_sqrt_ps(__m512(x)));
    if constexpr (sizeof(Part) == 64 && sizeof(A) == 8) return Part(_mm512_sqrt_pd(__m512d(x)));
#endif
#if defined(__AVX__)
    if constexpr (sizeof(Part) == 32 && sizeof(A) == 4) return Part(_mm256_sqrt_ps(__m256(x)));
    if constexpr (sizeof(Part) == 32 && sizeof(A) == 8) return Part(_mm256_sqrt_pd(__m256d(x)));
#endif
    for (int i = 0; i < width; ++i) x[i] = std::sqrt(x[i]);
    return x;
#endif
  }
  static GABLE_FUNCTION Part greater(Part x, Part y) {
#if defined(__AVX__) && !defined(GABLE_ARRAY_LANES)  // the compiler compares and blends, which takes two instructions
    if constexpr (sizeof(Part) == 32 && sizeof(A) == 4) return Part(_mm256_max_ps(__m256(x), __m256(y)));
    if constexpr (sizeof(Part) == 32 && sizeof(A) == 8) return Part(_mm256_max_pd(__m256d(x), __m256d(y)));
#endif
    return x > y ? x : y;
  }
  static GABLE_FUNCTION Part lesser(Part x, Part y) {
#if defined(__AVX__) && !defined(GABLE_ARRAY_LANES)
    if constexpr (sizeof(Part) == 32 && sizeof(A) == 4) return Part(_mm256_min_ps(__m256(x), __m256(y)));
    if constexpr (sizeof(Part) == 32 && sizeof(A) == 8) return Part(_mm256_min_pd(__m256d(x), __m256d(y)));
#endif
    return x < y ? x : y;
  }
};

}  // namespace gable::device
