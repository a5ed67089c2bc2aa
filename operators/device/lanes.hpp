#pragma once
#include <cstdint>
#include <type_traits>

#include "operators/device/function.hpp"

#if defined(__CUDACC__) || defined(__HIPCC__)
#include <cmath>
#define GABLE_ARRAY_LANES 1
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

/// N values of accumulate type A that one thread works on together. On hosts one vector register (the compiler's vector
/// extension, so nothing depends on an auto-vectoriser); on GPUs N registers of the thread.
template <class A, int N>
struct Lanes {
#if defined(GABLE_ARRAY_LANES)
  struct Vector {
    A lane[N];
    GABLE_FUNCTION A& operator[](int i) { return lane[i]; }
    GABLE_FUNCTION const A& operator[](int i) const { return lane[i]; }
  };
#else
  using Vector = typename VectorOf<A, N>::type;
#endif
  Vector values;

  Lanes() = default;
  GABLE_FUNCTION Lanes(A value) {  // implicit, so that operators mix lanes and numbers
#if defined(GABLE_ARRAY_LANES)
    for (int i = 0; i < N; ++i) values[i] = value;
#else
    values = value - Vector{};  // keeps -0, and folds into a broadcast
#endif
  }
#if !defined(GABLE_ARRAY_LANES)
  GABLE_FUNCTION Lanes(Vector v) : values(v) {}
#endif

  GABLE_FUNCTION A operator[](int i) const { return values[i]; }
  GABLE_FUNCTION void set(int i, A value) { values[i] = value; }

#if defined(GABLE_ARRAY_LANES)
  template <class Function>
  static GABLE_FUNCTION Lanes each(const Function& function) {
    Lanes result;
    for (int i = 0; i < N; ++i) result.values[i] = function(i);
    return result;
  }
  friend GABLE_FUNCTION Lanes operator+(Lanes x, Lanes y) {
    for (int i = 0; i < N; ++i) x.values[i] += y.values[i];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator-(Lanes x, Lanes y) {
    for (int i = 0; i < N; ++i) x.values[i] -= y.values[i];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator*(Lanes x, Lanes y) {
    for (int i = 0; i < N; ++i) x.values[i] *= y.values[i];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator/(Lanes x, Lanes y) {
    for (int i = 0; i < N; ++i) x.values[i] /= y.values[i];
    return x;
  }
  friend GABLE_FUNCTION Lanes max(Lanes x, Lanes y) {
    for (int i = 0; i < N; ++i) x.values[i] = x.values[i] > y.values[i] ? x.values[i] : y.values[i];
    return x;
  }
  friend GABLE_FUNCTION Lanes exp(Lanes x) {
    for (int i = 0; i < N; ++i) x.values[i] = ::exp(x.values[i]);
    return x;
  }
#else
  friend GABLE_FUNCTION Lanes operator+(Lanes x, Lanes y) { return x.values + y.values; }
  friend GABLE_FUNCTION Lanes operator-(Lanes x, Lanes y) { return x.values - y.values; }
  friend GABLE_FUNCTION Lanes operator*(Lanes x, Lanes y) { return x.values * y.values; }
  friend GABLE_FUNCTION Lanes operator/(Lanes x, Lanes y) { return x.values / y.values; }
  /// x where x > y, else y, per lane: a NaN in x yields y.
  friend GABLE_FUNCTION Lanes max(Lanes x, Lanes y) { return Vector(x.values > y.values ? x.values : y.values); }
  friend GABLE_FUNCTION Lanes exp(Lanes x) { return exp_polynomial(x); }
#endif
  GABLE_FUNCTION Lanes& operator+=(Lanes y) { return *this = *this + y; }

  /// Sum and maximum over the lanes, pairwise.
  friend GABLE_FUNCTION A sum(Lanes x) {
    for (int half = N / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) x.values[i] += x.values[i + half];
    }
    return x[0];
  }
  friend GABLE_FUNCTION A maximum(Lanes x) {
    for (int half = N / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) x.values[i] = x[i] > x[i + half] ? x[i] : x[i + half];
    }
    return x[0];
  }

 private:
#if !defined(GABLE_ARRAY_LANES)
  /// e^x without branches: x = n ln 2 + r with |r| <= ln 2 / 2, e^r by its Taylor polynomial (degree 7 for fp32, 13 for
  /// fp64), 2^n through the exponent bits. About 2 ulp. Arguments are clamped to where 2^n is a normal number: [-87,
  /// 88] and [-708, 709]; beyond them the result stays at the clamped end, which is below 2e-38 (3e-308) or above 1e38
  /// (8e307). NaN stays NaN.
  static GABLE_FUNCTION Lanes exp_polynomial(Lanes x);
#endif
};

#if !defined(GABLE_ARRAY_LANES)
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> Lanes<A, N>::exp_polynomial(Lanes x) {
  constexpr bool narrow = sizeof(A) == 4;
  using Bits = std::conditional_t<narrow, std::int32_t, std::int64_t>;
  using BitVector = typename VectorOf<Bits, N>::type;
  constexpr A low = narrow ? A(-87.0) : A(-708.0);
  constexpr A high = narrow ? A(88.0) : A(709.0);
  constexpr int mantissa = narrow ? 23 : 52;
  constexpr A magic = narrow ? A(0x1.8p23) : A(0x1.8p52);  // adding it rounds to a whole number, left in the low bits
  // ln 2 in two parts, the first with trailing zeros so that n * ln2_high is exact.
  constexpr A ln2_high = narrow ? A(0x1.62e4p-1) : A(0x1.62e42feep-1);
  constexpr A ln2_low = narrow ? A(0x1.7f7d1cf79abcap-20) : A(0x1.a39ef35793c76p-33);

  Vector v = x.values;
  v = v < low ? Vector{} + low : v;
  v = v > high ? Vector{} + high : v;
  const Vector shifted = v * A(1.4426950408889634074) + magic;
  const Vector n = shifted - magic;
  const Vector r = (v - n * ln2_high) - n * ln2_low;
  // Horner on 1/k!: e^r = 1 + r (1 + r (1/2 + ...)).
  constexpr A coefficients[] = {A(1.0 / 6227020800.0),
                                A(1.0 / 479001600.0),
                                A(1.0 / 39916800.0),
                                A(1.0 / 3628800.0),
                                A(1.0 / 362880.0),
                                A(1.0 / 40320.0),
                                A(1.0 / 5040.0),
                                A(1.0 / 720.0),
                                A(1.0 / 120.0),
                                A(1.0 / 24.0),
                                A(1.0 / 6.0),
                                A(0.5),
                                A(1.0),
                                A(1.0)};
  constexpr int first = narrow ? 6 : 0;
  Vector polynomial = Vector{} + coefficients[first];
#pragma GCC unroll 16
  for (int i = first + 1; i < 14; ++i) polynomial = polynomial * r + coefficients[i];
  const BitVector exponent = BitVector(shifted) << mantissa;
  const BitVector scaled = BitVector(polynomial) + exponent;
  return Vector(scaled);
}
#endif

}  // namespace gable::device
