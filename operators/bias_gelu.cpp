#include "operators/bias_gelu.hpp"

#include "operators/device/activation.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

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
