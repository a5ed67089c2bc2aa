#include "operators/bias_relu.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct BiasReluBody {
  const T* x;
  const T* b;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index j) const {
    return max(Accumulate<T>(0), access.load(x + i) + access.load(b + j));  // NaN stays
  }
};

template <class T>
struct BiasReluKernel : UniformTypes<T> {
  T* y;
  Index m, n;
  BiasReluBody<T> body;

  BiasReluKernel(const BiasRelu::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), m(p.m), n(p.n), body{buffers.input<T>(0), buffers.input<T>(1)} {}
  void run(const Exec& exec) const { elementwise(exec, y, m * n, n, body); }
};

}  // namespace

const OperatorEntry& bias_relu_entry() {
  static const OperatorEntry entry{&spec_of<BiasRelu>(), {floating_implementation<BiasRelu, BiasReluKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
