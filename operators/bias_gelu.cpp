#include "operators/bias_gelu.hpp"

#include "operators/device/activation.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct BiasGeluBody {
  static constexpr bool any_tie = true;
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

template <class T>
struct BiasGeluKernel : UniformTypes<T> {
  T* y;
  Index m, n;
  BiasGeluBody<T> body;

  BiasGeluKernel(const BiasGelu::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), m(p.m), n(p.n), body{buffers.input<T>(0), buffers.input<T>(1)} {}
  void run(const Exec& exec) const { elementwise(exec, y, m * n, n, body); }
};

}  // namespace

const OperatorEntry& bias_gelu_entry() {
  static const OperatorEntry entry{&spec_of<BiasGelu>(), {floating_implementation<BiasGelu, BiasGeluKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
