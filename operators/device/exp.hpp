#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "operators/device/lanes.hpp"
#include "operators/device/pack.hpp"

#if defined(GABLE_ARRAY_LANES)
#include <cmath>
#endif

namespace gable::device {

/// The x of which e^x is 0, for lanes behind the end of a row: e^(x - shift) is 0 beside the lowest finite shift, too.
template <class A>
inline constexpr A exponent_of_zero = -std::numeric_limits<A>::infinity();

#if !defined(GABLE_ARRAY_LANES)
/// The constants of exp for one accumulate type: ln 2 in two parts, the first with trailing zeros so that n ln2_high is
/// exact; the argument's range, in which 2^n is a normal number; and a polynomial for e^r on |r| <= ln 2 / 2, highest
/// power first, by interpolation of (e^r - 1 - r) / r^2 at Chebyshev nodes.
template <class A>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  using Bits = std::int32_t;
  static constexpr int mantissa = 23;
  static constexpr float low = -87.0F, high = 88.0F, round = 0x1.8p23F;
  static constexpr float ln2_high = 0x1.62e4p-1F, ln2_low = 0x1.7f7d1cp-20F;
  static constexpr float polynomial[] = {
      0x1.6d117cp-10F, 0x1.120be2p-7F, 0x1.555518p-5F, 0x1.5554dcp-3F, 0x1p-1F, 1.0F, 1.0F};
};
template <>
struct ExpConstants<double> {
  using Bits = std::int64_t;
  static constexpr int mantissa = 52;
  static constexpr double low = -708.0, high = 709.0, round = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double polynomial[] = {0x1.af390ba7e6f47p-26,
                                          0x1.2891d4ffbb0f9p-22,
                                          0x1.71de0d85293b8p-19,
                                          0x1.a019b8ca26fcfp-16,
                                          0x1.a01a01a7cebcdp-13,
                                          0x1.6c16c1789d1d7p-10,
                                          0x1.11111111109a6p-7,
                                          0x1.5555555553d37p-5,
                                          0x1.5555555555556p-3,
                                          0x1p-1,
                                          1.0,
                                          1.0};
};
/// 2^f on |f| <= 1/2 as accurately as storage type T needs, highest power first, by interpolation of (2^f - 1) / f at
/// Chebyshev nodes. Relative error 2^-27 (fp32), 2^-17 (2-byte types, whose sums must be better than their elements).
template <class T>
inline constexpr float exp2_polynomial[] = {0x1.3c7b76p-7F, 0x1.c989cp-5F, 0x1.ebfb3p-3F, 0x1.62e2b4p-1F, 1.0F};
template <>
inline constexpr float exp2_polynomial<float>[] = {
    0x1.442950p-13F, 0x1.5f2802p-10F, 0x1.3b2a42p-7F, 0x1.c6af3cp-5F, 0x1.ebfbe0p-3F, 0x1.62e43p-1F, 1.0F};
/// The same if 1 is added to it and it is no part of a sum: minimax of degree 3, error 2^-13.7, for 2-byte types.
template <class T>
inline constexpr float exp2_brief[] = {0x1.c3f764p-5F, 0x1.f0de1ap-3F, 0x1.62f31ap-1F, 0x1.fff692p-1F};
template <>
inline constexpr auto& exp2_brief<float> = exp2_polynomial<float>;
/// fp64: 2^f = (q + f p) / (q - f p) with p and q of degree 2 in f^2, by interpolation of tanh(f ln 2 / 2) / f at
/// Chebyshev nodes; relative error 2^-56. A division costs less than the five products it saves.
inline constexpr double exp2_odd[] = {0x1.7a60ee97ff5f1p-19, 0x1.433a0b00c025ep-9, 0x1.7a771689fae49p-3};
inline constexpr double exp2_even[] = {0x1p-13, 0x1.d25b024e90d89p-6, 0x1.110142bebb5f8p-1};

/// Horner's rule, highest power first.
template <class A, int N, std::size_t count>
GABLE_FUNCTION Lanes<A, N> polynomial_at(const A (&coefficients)[count], Lanes<A, N> x) {
  Lanes<A, N> sum = coefficients[0];
#pragma GCC unroll 16
  for (std::size_t i = 1; i < count; ++i) sum = sum * x + Lanes<A, N>(coefficients[i]);
  return sum;
}

/// 2^n x with n in the low bits of `shifted`, by adding to the exponent.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> scaled(Lanes<A, N> x, const Lanes<A, N>& shifted) {
  using L = Lanes<A, N>;
  using BitVector = typename VectorOf<typename ExpConstants<A>::Bits, L::width>::type;
  for (int p = 0; p < L::parts; ++p) {
    const BitVector exponent = BitVector(shifted.part[p]) << ExpConstants<A>::mantissa;
    x.part[p] = typename L::Part(BitVector(x.part[p]) + exponent);
  }
  return x;
}

/// e^x without branches: x = n ln 2 + r with n a whole number, a polynomial for e^r, 2^n through the exponent bits.
/// Adding `round` rounds to a whole number and leaves it in the low bits. In two halves, each about as long a chain of
/// dependent instructions as the other.
template <class L>
struct ExpOnHost;
template <class A, int N>
struct ExpOnHost<Lanes<A, N>> {
  using C = ExpConstants<A>;
  using L = Lanes<A, N>;
  L shifted, rest;

  GABLE_FUNCTION explicit ExpOnHost(L x) {
    x = min(L(C::high), max(L(C::low), x));
    shifted = x * L(A(1.4426950408889634074)) + L(C::round);
    const L n = shifted - L(C::round);
    rest = (x - n * L(C::ln2_high)) - n * L(C::ln2_low);
  }
  GABLE_FUNCTION L result() const { return scaled(polynomial_at(C::polynomial, rest), shifted); }
};
#endif

#if defined(GABLE_ARRAY_LANES)
inline constexpr bool rough_for_fp16 = true;
#else
inline constexpr bool rough_for_fp16 = false;
#endif
/// x / y rounded to storage type T. Hosts take an approximate reciprocal for bf16 where they have one: relative error
/// 1.5 2^-12, where its own rounding is 2^-9; and 0 for |y| > 2^126. y must be normal. Not for fp16, whose Newton step
/// would load the multipliers more than the division does. GPUs take one of 2^-23 for both.
template <class T, int N>
GABLE_FUNCTION LanesOf<T, N> quotient_for(LanesOf<T, N> x, const LanesOf<T, N>& y) {
  if constexpr (std::is_same_v<T, Bf16> || (rough_for_fp16 && std::is_same_v<T, Fp16>)) {
    for (int p = 0; p < x.parts; ++p) x.part[p] = LanesOf<T, N>::One::rough_quotient(x.part[p], y.part[p]);
    return x;
  } else {
    return x / y;
  }
}
#if !defined(GABLE_ARRAY_LANES)
/// 2^f = above / below on |f| <= 1/2, fp64.
template <int N>
struct Exp2Fraction {
  Lanes<double, N> above, below;
  GABLE_FUNCTION explicit Exp2Fraction(const Lanes<double, N>& f) {
    const Lanes<double, N> square = f * f;
    const Lanes<double, N> odd = f * polynomial_at(exp2_odd, square), even = polynomial_at(exp2_even, square);
    above = even + odd;
    below = even - odd;
  }
};
#endif

/// x / (1 + 2^t) rounded to storage type T, in two halves (constructor and divide()), so that a loop on a CPU can
/// overlap one element's second half with the next one's first. Hosts: relative error 1.5 2^-12 (bf16), 2^-13 (fp16),
/// 2^-22, 2^-50; t is clamped to where 2^t is a normal number, [-126, 127] (fp64: [-1022, 1023]); NaN stays NaN.
template <class T, int N>
class LogisticFor {
  using L = LanesOf<T, N>;
  using A = Accumulate<T>;
#if defined(GABLE_ARRAY_LANES)
 public:
  GABLE_FUNCTION explicit LogisticFor(L t) : begun_(t) {}
  GABLE_FUNCTION L divide(const L& x) const {
    L sum;
    for (int i = 0; i < N; ++i) sum.set(i, A(1) + L::One::exp2(begun_[i]));
    return quotient_for<T, N>(x, sum);
  }

 private:
  L begun_;
#else
  /// Adding it rounds t to a whole number n and leaves n plus the exponent's bias in the low bits.
  static constexpr A greatest = sizeof(A) == 8 ? A(1023) : A(127), round = ExpConstants<A>::round + greatest;

 public:
  GABLE_FUNCTION explicit LogisticFor(L t) {
    t = min(L(greatest), max(L(1 - greatest), t));
    shifted_ = t + L(round);
    rest_ = t - (shifted_ - L(round));
  }
  GABLE_FUNCTION L divide(const L& x) const {
    if constexpr (sizeof(A) == 8) {
      const Exp2Fraction<N> fraction(rest_);
      return x * fraction.below / (whole_power() * fraction.above + fraction.below);
    } else {
      return quotient_for<T, N>(x, whole_power() * polynomial_at(exp2_brief<T>, rest_) + L(1));
    }
  }

 private:
  GABLE_FUNCTION L whole_power() const {
    using Bits = typename VectorOf<typename ExpConstants<A>::Bits, L::width>::type;
    L power;
    for (int p = 0; p < L::parts; ++p) {
      power.part[p] = typename L::Part(Bits(shifted_.part[p]) << ExpConstants<A>::mantissa);
    }
    return power;
  }
  L shifted_, rest_;
#endif
};

/// e^x. Hosts: within 2 units of the last place; arguments are clamped to where 2^n is a normal number: [-87, 88] and
/// [-708, 709]; beyond them the result stays at the clamped end, which is below 2e-38 (3e-308) or above 1e38 (8e307).
/// NaN stays NaN. GPUs: their mathematical library's.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> exp(Lanes<A, N> x) {
#if defined(GABLE_ARRAY_LANES)
  for (int i = 0; i < N; ++i) x.set(i, ::exp(x[i]));
  return x;
#else
  return ExpOnHost<Lanes<A, N>>(x).result();
#endif
}

/// e^(x - shift) for a result that is rounded to storage type T, in two halves as LogisticFor. Hosts: x - shift may be
/// at most 88 (fp64: 709), and from -87 (-707) down the result stays where it is, below 2e-38 (1e-307); the relative
/// errors of exp2_polynomial and exp2_odd. By way of 2^t, with t never rounded as a whole: what log2(e) has beyond its
/// first word only matters to fp32; for fp64 it is 2^-56 |x - shift|.
template <class T, int N>
class ExpFor {
  using A = Accumulate<T>;
  using L = LanesOf<T, N>;
#if defined(GABLE_ARRAY_LANES)
 public:
  GABLE_FUNCTION explicit ExpFor(L x, A shift = 0) : begun_(x - shift) {}
  GABLE_FUNCTION L result() const {
    if constexpr (sizeof(A) == 8) return exp(begun_);
    L power = begun_ * L(A(1.4426950408889634074));
    for (int i = 0; i < N; ++i) power.set(i, L::One::exp2(power[i]));
    return power;
  }

 private:
  L begun_;
#else
 public:
  GABLE_FUNCTION explicit ExpFor(L x, A shift = 0) {
    constexpr A log2_e = A(1.4426950408889634074), round = ExpConstants<A>::round;
    x = max(L(sizeof(A) == 8 ? A(-707) : A(-87)), x - L(shift));
    shifted_ = x * L(log2_e) + L(round);
    rest_ = x * L(log2_e) - (shifted_ - L(round));
    if constexpr (std::is_same_v<T, float>) rest_ = x * L(0x1.4ae0cp-26F) + rest_;
  }
  GABLE_FUNCTION L result() const {
    if constexpr (sizeof(A) == 8) {
      const Exp2Fraction<N> fraction(rest_);
      return scaled(fraction.above, shifted_) / fraction.below;
    } else {
      return scaled(polynomial_at(exp2_polynomial<T>, rest_), shifted_);
    }
  }

 private:
  L shifted_, rest_;
#endif
};

template <class T, int N>
GABLE_FUNCTION LanesOf<T, N> exp_for(LanesOf<T, N> x, Accumulate<T> shift = 0) {
  return ExpFor<T, N>(x, shift).result();
}

}  // namespace gable::device
