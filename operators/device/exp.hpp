#pragma once
#include <cstdint>
#include <type_traits>

#include "operators/device/lanes.hpp"
#include "operators/device/pack.hpp"

#if defined(GABLE_ARRAY_LANES)
#include <cmath>
#endif

namespace gable::device {

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
/// 2^f on |f| <= 1/2 for results that are rounded to 11 bits or fewer: relative error 2^-17.
inline constexpr float short_exp2[] = {0x1.3c6e5cp-7F, 0x1.c96d5ep-5F, 0x1.ebfb3ep-3F, 0x1.62e2d2p-1F, 1.0F};

/// Horner's rule, highest power first.
template <class A, int N, std::size_t count>
GABLE_FUNCTION Lanes<A, N> polynomial_at(const A (&coefficients)[count], Lanes<A, N> x) {
  Lanes<A, N> sum = coefficients[0];
#pragma GCC unroll 16
  for (std::size_t i = 1; i < count; ++i) sum = sum * x + Lanes<A, N>(coefficients[i]);
  return sum;
}

/// e^x without branches: x = n ln 2 + r with n a whole number, a polynomial for e^r, 2^n through the exponent bits.
/// Adding `round` rounds to a whole number and leaves it in the low bits. In two halves, each about as long a chain of
/// dependent instructions as the other: `shifted` and `rest` (r; brief: r / ln 2), then the result.
template <bool brief, class L>
struct ExpOnHost;
template <bool brief, class A, int N>
struct ExpOnHost<brief, Lanes<A, N>> {
  using C = ExpConstants<A>;
  using L = Lanes<A, N>;
  L shifted, rest;

  GABLE_FUNCTION explicit ExpOnHost(L x) {
    const L log2_e = A(1.4426950408889634074);
    x = min(L(C::high), max(L(C::low), x));
    shifted = x * log2_e + L(C::round);
    const L n = shifted - L(C::round);
    rest = brief ? x * log2_e - n : (x - n * L(C::ln2_high)) - n * L(C::ln2_low);
  }
  GABLE_FUNCTION L result() const {
    using BitVector = typename VectorOf<typename C::Bits, L::width>::type;
    L power;
    if constexpr (brief) {
      power = polynomial_at(short_exp2, rest);
    } else {
      power = polynomial_at(C::polynomial, rest);
    }
    for (int p = 0; p < L::parts; ++p) {
      const BitVector exponent = BitVector(shifted.part[p]) << C::mantissa;
      power.part[p] = typename L::Part(BitVector(power.part[p]) + exponent);
    }
    return power;
  }
};
#endif

/// e^x. Hosts: within 2 units of the last place; arguments are clamped to where 2^n is a normal number: [-87, 88] and
/// [-708, 709]; beyond them the result stays at the clamped end, which is below 2e-38 (3e-308) or above 1e38 (8e307).
/// NaN stays NaN. GPUs: their mathematical library's.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> exp(Lanes<A, N> x) {
#if defined(GABLE_ARRAY_LANES)
  for (int i = 0; i < N; ++i) x.set(i, ::exp(x[i]));
  return x;
#else
  return ExpOnHost<false, Lanes<A, N>>(x).result();
#endif
}

/// e^x for a result that is rounded to storage type T, begun in the constructor and done in result(), so that a loop on
/// a CPU can overlap one element's second half with the next one's first. As exp(), but for 2-byte types with a
/// relative error of 2^-16 only, where their own rounding is 2^-12 (fp16) or 2^-9 (bf16).
template <class T, int N>
class ExpFor {
 public:
  GABLE_FUNCTION explicit ExpFor(LanesOf<T, N> x) : begun_(x) {}
#if defined(GABLE_ARRAY_LANES)
  GABLE_FUNCTION LanesOf<T, N> result() const { return exp(begun_); }

 private:
  LanesOf<T, N> begun_;
#else
  GABLE_FUNCTION LanesOf<T, N> result() const { return begun_.result(); }

 private:
  ExpOnHost<(sizeof(T) < 4), LanesOf<T, N>> begun_;
#endif
};
template <class T, int N>
GABLE_FUNCTION LanesOf<T, N> exp_for(LanesOf<T, N> x) {
  return ExpFor<T, N>(x).result();
}

}  // namespace gable::device
