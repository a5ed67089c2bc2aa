#include "operators/relu.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct ReluBody {
  static constexpr bool any_tie = true;  // nothing is rounded
  const T* x;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return max(Accumulate<T>(0), access.load(x + i));  // in this order NaN stays
  }
};

template <class T>
struct ReluKernel : UniformTypes<T> {
  T* y;
  Index n;
  ReluBody<T> body;

  ReluKernel(const Relu::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0)} {}
  void run(const Exec& exec) const { elementwise(exec, y, n, n, body); }
};

}  // namespace

const OperatorEntry& relu_entry() {
  static const OperatorEntry entry{&spec_of<Relu>(), {floating_implementation<Relu, ReluKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
