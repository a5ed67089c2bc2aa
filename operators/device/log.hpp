#pragma once
#include <cstdint>

#include "operators/device/exp.hpp"

#if defined(GABLE_ARRAY_LANES)
#include <cmath>
#endif

namespace gable::device {

#if !defined(GABLE_ARRAY_LANES)
/// The constants of log for one accumulate type: bits of 1 and of sqrt(1/2), the number whose last bits count units,
/// and (2 artanh(s) - 2s) / s^3 in s^2 on 0 <= s <= (sqrt(2) - 1) / (sqrt(2) + 1), highest power first, by
/// interpolation at Chebyshev nodes.
template <class A>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr std::int32_t one = 0x3f800000, root_half = 0x3f3504f3, counting = 0x4b000000;
  static constexpr float counted = 0x1p23F + 127.0F;
  static constexpr float polynomial[] = {0x1.ddced8p-3F, 0x1.245c44p-2F, 0x1.9999ecp-2F, 0x1.555556p-1F};
};
template <>
struct LogConstants<double> {
  static constexpr std::int64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd, counting = 0x4330000000000000;
  static constexpr double counted = 0x1p52 + 1023.0;
  static constexpr double polynomial[] = {0x1.2b584aae78a57p-3, 0x1.39fe606542ddep-3, 0x1.7462b4ab2ef6bp-3,
                                          0x1.c71c62e5800a1p-3, 0x1.2492492df148dp-2, 0x1.99999999952e2p-2,
                                          0x1.5555555555558p-1};
};

/// One register of x = 2^n m with sqrt(1/2) <= m < sqrt(2).
template <class A, class Part, int width>
GABLE_FUNCTION void split(Part x, Part& n, Part& m) {
  using C = LogConstants<A>;
  using Signed = typename VectorOf<typename ExpConstants<A>::Bits, width>::type;
  using Unsigned = typename VectorOf<std::make_unsigned_t<typename ExpConstants<A>::Bits>, width>::type;
  constexpr int mantissa = ExpConstants<A>::mantissa;
  const Unsigned biased = Unsigned(Signed(x) + (C::one - C::root_half)) >> mantissa;
  n = Part(Signed(biased) | C::counting) - C::counted;
  m = Part(Signed(x) - (Signed(biased << mantissa) - C::one));
}
#endif

/// Natural logarithm of positive, normal numbers. Hosts: log(2^n m) = n ln 2 + 2 artanh((m - 1) / (m + 1)), within 3
/// units of the last place. GPUs: their mathematical library's.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> log(Lanes<A, N> x) {
#if defined(GABLE_ARRAY_LANES)
  for (int i = 0; i < N; ++i) x.set(i, ::log(x[i]));
  return x;
#else
  using L = Lanes<A, N>;
  using C = ExpConstants<A>;
  L n, m;
  for (int p = 0; p < L::parts; ++p) split<A, typename L::Part, L::width>(x.part[p], n.part[p], m.part[p]);
  const L f = m - L(A(1));
  const L s = f / (m + L(A(1)));
  const L square = s * s;
  const L fraction = s * square * polynomial_at(LogConstants<A>::polynomial, square);
  return n * L(C::ln2_high) + (s + s + (fraction + n * L(C::ln2_low)));
#endif
}

}  // namespace gable::device
