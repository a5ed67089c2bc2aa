#include "operators/elementwise.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct AddKernel : UniformTypes<T>, ElementwiseKernel<T, AddBody<T>> {
  AddKernel(const Add::Params& p, const Buffers& buffers)
      : ElementwiseKernel<T, AddBody<T>>{buffers.output<T>(0), p.n, p.n, {buffers.input<T>(0), buffers.input<T>(1)}} {}
};

template <class T>
struct AxpyBody {
  const T* x;
  const T* y;
  T a;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return access.load(y + i) + a * access.load(x + i);
  }
};

template <class T>
struct AxpyKernel : UniformTypes<T> {
  T* y;
  Index n;
  AxpyBody<T> body;

  AxpyKernel(const Axpy::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0), y, T(Axpy::a)} {}
  void run(const Exec& exec) {
    elementwise(exec, y, n, n, body);
    body.a = -body.a;
  }
};

/// `steps` steps of an ElementwiseChain on what is at x.
template <class T>
struct ChainBody {
  static constexpr bool rounding_ties_unspecified = true;
  const T* x;
  Index steps;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    using A = Accumulate<T>;
    auto value = access.load(x + i);
    for (Index step = 0; step < steps; ++step) value = value * A(ElementwiseChain::a) + A(ElementwiseChain::b);
    return value;
  }
};

template <class T>
struct FusedChainKernel : UniformTypes<T>, ElementwiseKernel<T, ChainBody<T>> {
  FusedChainKernel(const ElementwiseChainFused::Params& p, const Buffers& buffers)
      : ElementwiseKernel<T, ChainBody<T>>{buffers.output<T>(0), p.n, p.n, {buffers.input<T>(0), p.stages}} {}
};

template <class T>
struct UnfusedChainKernel : UniformTypes<T> {
  T* y;
  Index n, stages;
  ChainBody<T> first, in_place;

  UnfusedChainKernel(const ElementwiseChainUnfused::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), stages(p.stages), first{buffers.input<T>(0), 1}, in_place{y, 1} {}
  void run(const Exec& exec) const {
    elementwise(exec, y, n, n, first);
    for (Index stage = 1; stage < stages; ++stage) elementwise(exec, y, n, n, in_place);
  }
};

}  // namespace

const OperatorEntry& add_entry() { return floating_entry<Add, AddKernel>(); }
const OperatorEntry& axpy_entry() { return wide_entry<Axpy, AxpyKernel>(); }
const OperatorEntry& elementwise_chain_fused_entry() {
  return floating_entry<ElementwiseChainFused, FusedChainKernel>();
}
const OperatorEntry& elementwise_chain_unfused_entry() {
  return floating_entry<ElementwiseChainUnfused, UnfusedChainKernel>();
}

}  // namespace gable::operators
