#include "operators/silu.hpp"

#include "operators/device/activation.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct SiluBody {
  static constexpr bool any_tie = true;
  const T* x;

  template <template <int> class Access, int N>
  GABLE_FUNCTION SiluFor<T, N> begin(Access<N> access, Index i, Index) const {
    return SiluFor<T, N>(access.load(x + i));
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> finish(const SiluFor<T, N>& begun) const {
    return begun.result();
  }
};

template <class T>
struct SiluKernel : UniformTypes<T> {
  T* y;
  Index n;
  SiluBody<T> body;

  SiluKernel(const Silu::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0)} {}
  void run(const Exec& exec) const { elementwise(exec, y, n, n, body); }
};

}  // namespace

const OperatorEntry& silu_entry() {
  static const OperatorEntry entry{&spec_of<Silu>(), {floating_implementation<Silu, SiluKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
