#pragma once
#include "core/operator.hpp"
#include "operators/activation.hpp"
#include "operators/device/exp.hpp"

namespace gable::device {

inline constexpr double log2_of_e = 1.4426950408889634074;

/// silu(x) factor = x factor / (1 + exp(-x)), as exact as storage type T needs, in two halves (constructor and
/// result()), so that a loop on a CPU can overlap one pack's second half with the next one's first.
template <class T, int N>
class SiluFor {
  using A = Accumulate<T>;
  using L = LanesOf<T, N>;

 public:
  GABLE_FUNCTION SiluFor(const L& x, const L& factor) : scaled_(x * factor), power_(x * A(-log2_of_e)) {}
  GABLE_FUNCTION explicit SiluFor(const L& x) : scaled_(x), power_(x * A(-log2_of_e)) {}
  GABLE_FUNCTION L result() const { return power_.divide(scaled_); }

 private:
  L scaled_;
  LogisticFor<T, N> power_;
};

/// gelu(x) = x/2 (1 + tanh(u)) = x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3): one exponential, and no
/// cancellation where tanh is near -1. As a power of 2, because the argument is rounded before any range reduction
/// could be exact. In two halves as SiluFor.
/// 2-byte types stay under their roof on a fast memory: 18 floating-point instructions a register of 8, 4.5 cycles at
/// four a cycle (Zen 3; 8 measured, for the chain of some 55 cycles fills the window), beside the 8 that memory takes
/// at 12.5 GB/s a core and 5 at 20 GB/s. The model takes exp, conversions and memory as if none waited for another.
template <class T, int N>
class GeluFor {
  using A = Accumulate<T>;
  using L = LanesOf<T, N>;
  static constexpr double linear = -2 * operators::GeluFormula::sqrt_2_over_pi * log2_of_e;  ///< -2u / ln 2 begins so
  static constexpr double cubic = linear * operators::GeluFormula::cubic;

 public:
  GABLE_FUNCTION explicit GeluFor(const L& x) : value_(x), power_(x * (A(linear) + A(cubic) * (x * x))) {}
  GABLE_FUNCTION L result() const { return power_.divide(value_); }

 private:
  L value_;
  LogisticFor<T, N> power_;
};

/// gelu(x[i] + b[j]) for elementwise() over rows that share b.
template <class T>
struct BiasGeluBody {
  static constexpr bool rounding_ties_unspecified = true;
  const T* x;
  const T* b;

  template <template <int> class Access, int N>
  GABLE_FUNCTION GeluFor<T, N> begin(Access<N> access, Index i, Index j) const {
    return GeluFor<T, N>(access.load(x + i) + access.load(b + j));
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> finish(const GeluFor<T, N>& begun) const {
    return begun.result();
  }
};

}  // namespace gable::device
