#include "operators/gelu.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/exp.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// x/2 (1 + tanh(u)) = x / (1 + exp(-2u)): one exponential, and no cancellation where tanh is near -1. As a power of 2,
/// because the argument is rounded before any range reduction could be exact.
/// 2-byte types stay under their roof on a fast memory: 18 floating-point instructions a register of 8, 4.5 cycles at
/// four a cycle (Zen 3; 8 measured, for the chain of some 55 cycles fills the window), beside the 8 that memory takes
/// at 12.5 GB/s a core and 5 at 20 GB/s. The model takes exp, conversions and memory as if none waited for another.
template <class T>
struct GeluBody {
  static constexpr double linear = -2 * Gelu::sqrt_2_over_pi * 1.4426950408889634074;  ///< -2u / ln 2 begins with it
  static constexpr bool any_tie = true;
  const T* x;

  template <int N>
  struct Begun {
    LanesOf<T, N> value;
    LogisticFor<T, N> power;
  };
  template <template <int> class Access, int N>
  GABLE_FUNCTION Begun<N> begin(Access<N> access, Index i, Index) const {
    using A = Accumulate<T>;
    const LanesOf<T, N> v = access.load(x + i);
    return {v, LogisticFor<T, N>(v * (A(linear) + A(linear * Gelu::cubic) * (v * v)))};
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> finish(const Begun<N>& begun) const {
    return begun.power.divide(begun.value);
  }
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index j) const {
    return finish(begin(access, i, j));
  }
};

template <class T>
struct GeluKernel : UniformTypes<T> {
  T* y;
  Index n;
  GeluBody<T> body;

  GeluKernel(const Gelu::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0)} {}
  void run(const Exec& exec) const { elementwise(exec, y, n, n, body); }
};

}  // namespace

const OperatorEntry& gelu_entry() {
  static const OperatorEntry entry{&spec_of<Gelu>(), {floating_implementation<Gelu, GeluKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
