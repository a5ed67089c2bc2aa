#include "scaled_sum.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct ScaledSumBody {
  const T* a;
  const T* b;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return Accumulate<T>(2) * (access.load(a + i) + access.load(b + i));
  }
};

template <class T>
struct ScaledSumKernel : UniformTypes<T> {
  T* y;
  Index n;
  ScaledSumBody<T> body;

  ScaledSumKernel(const ScaledSum::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0), buffers.input<T>(1)} {}
  void run(const Exec& exec) const { elementwise(exec, y, n, n, body); }
};

}  // namespace

const OperatorEntry& scaled_sum_entry() {
  static const OperatorEntry entry{&spec_of<ScaledSum>(),
                                   {floating_implementation<ScaledSum, ScaledSumKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
