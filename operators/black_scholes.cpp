#include "operators/black_scholes.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/exp.hpp"
#include "operators/device/log.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Horner's rule on lanes of any device, highest power first. The coefficients are arguments because device code cannot
/// name an array that is a member.
template <class L, class... Rest>
GABLE_FUNCTION L horner(const L& x, double highest, Rest... rest) {
  using A = decltype(sum(x));
  L total = A(highest);
  ((total = total * x + L(A(rest))), ...);
  return total;
}

/// N(-d) = exp(-d^2/2) r(d) for d >= 0. fp64: Hart et al., Computer Approximations (1968), number 5666, error below
/// 1e-16; fp32: Abramowitz and Stegun 26.2.17, error below 7.5e-8.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> tail_ratio(const Lanes<A, N>& d) {
  using L = Lanes<A, N>;
  if constexpr (sizeof(A) == 8) {
    const L above = horner(d, 3.52624965998911E-02, 0.700383064443688, 6.37396220353165, 33.912866078383,
                           112.079291497871, 221.213596169931, 220.206867912376);
    return above / horner(d, 8.83883476483184E-02, 1.75566716318264, 16.064177579207, 86.7807322029461,
                          296.564248779674, 637.333633378831, 793.826512519948, 440.413735824752);
  } else {
    constexpr double root = 0.39894228040143267794;  // 1 / sqrt(2 pi)
    const L w = normal_quotient(L(A(1)), L(A(1)) + L(A(0.2316419)) * d);
    return w * horner(w, root * 1.330274429, root * -1.821255978, root * 1.781477937, root * -0.356563782,
                      root * 0.319381530);
  }
}

/// Prices by the tails S N(-|d1|) and X N(-|d2|), X = K exp(-rT) the present value. Both hold the same exponential,
/// because S exp(-d1^2/2) = X exp(-d2^2/2): with the discount's, two instead of the three of the formula.
template <class T>
struct BlackScholesBody {
  using A = T;
  static constexpr A drift = A(BlackScholes::rate + BlackScholes::volatility * BlackScholes::volatility / 2);
  const T* spot;
  const T* strike;
  const T* years;
  T* put;

  template <template <int> class Access, int N>
  GABLE_FUNCTION LanesOf<T, N> operator()(Access<N> access, Index i, Index) const {
    using L = LanesOf<T, N>;
    const L s = access.load(spot + i), t = access.load(years + i);
    const L k = access.load(strike + i);
    const L deviation = L(A(BlackScholes::volatility)) * normal_root(t);
    const L d1 = normal_quotient(log(normal_quotient(s, k)) + L(drift) * t, deviation);
    const L d2 = d1 - deviation;
    const L present = k * exp_for<T, N>(L(A(-BlackScholes::rate)) * t);
    const L density = s * exp_for<T, N>(L(A(-0.5)) * (d1 * d1));
    const L tail1 = density * tail_ratio<A, N>(max(d1, L(A(0)) - d1));
    const L tail2 = density * tail_ratio<A, N>(max(d2, L(A(0)) - d2));
    // S N(d1) and X N(d2), and the remainders of S and X
    const L in1 = where_positive(d1, s - tail1, tail1), out1 = where_positive(d1, tail1, s - tail1);
    const L in2 = where_positive(d2, present - tail2, tail2), out2 = where_positive(d2, tail2, present - tail2);
    access.store(put + i, out2 - out1);
    return in1 - in2;
  }
};

template <class T>
struct BlackScholesKernel : UniformTypes<T>, ElementwiseKernel<T, BlackScholesBody<T>> {
  BlackScholesKernel(const BlackScholes::Params& p, const Buffers& buffers)
      : ElementwiseKernel<T, BlackScholesBody<T>>{
            buffers.output<T>(0),
            p.n,
            p.n,
            {buffers.input<T>(0), buffers.input<T>(1), buffers.input<T>(2), buffers.output<T>(1)}} {}
};

}  // namespace

const OperatorEntry& black_scholes_entry() { return wide_entry<BlackScholes, BlackScholesKernel>(); }

}  // namespace gable::operators
