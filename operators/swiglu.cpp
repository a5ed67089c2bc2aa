#include "operators/swiglu.hpp"

#include "operators/device/activation.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct SwigluBody {
  static constexpr bool any_tie = true;
  const T* g;
  const T* u;

  template <template <int> class Access, int N>
  GABLE_FUNCTION SiluFor<T, N> begin(Access<N> access, Index i, Index) const {
    return SiluFor<T, N>(access.load(g + i), access.load(u + i));
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> finish(const SiluFor<T, N>& begun) const {
    return begun.result();
  }
};

template <class T>
struct SwigluKernel : UniformTypes<T> {
  T* y;
  Index count;
  SwigluBody<T> body;

  SwigluKernel(const Swiglu::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), count(p.m * p.n), body{buffers.input<T>(0), buffers.input<T>(1)} {}
  void run(const Exec& exec) const { elementwise(exec, y, count, count, body); }
};

}  // namespace

const OperatorEntry& swiglu_entry() {
  static const OperatorEntry entry{&spec_of<Swiglu>(), {floating_implementation<Swiglu, SwigluKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
