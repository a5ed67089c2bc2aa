#include "operators/gelu.hpp"

#include "operators/device/activation.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct GeluBody {
  static constexpr bool any_tie = true;
  const T* x;

  template <template <int> class Access, int N>
  GABLE_FUNCTION GeluFor<T, N> begin(Access<N> access, Index i, Index) const {
    return GeluFor<T, N>(access.load(x + i));
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> finish(const GeluFor<T, N>& begun) const {
    return begun.result();
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
