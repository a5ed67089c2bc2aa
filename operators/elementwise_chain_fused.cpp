#include "operators/elementwise_chain_fused.hpp"

#include "operators/device/chain_step.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct FusedChainKernel : UniformTypes<T> {
  T* y;
  Index n;
  ChainBody<T> body;

  FusedChainKernel(const ElementwiseChainFused::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0), p.stages} {}
  void run(const Exec& exec) const { elementwise(exec, y, n, n, body); }
};

}  // namespace

const OperatorEntry& elementwise_chain_fused_entry() {
  static const OperatorEntry entry{&spec_of<ElementwiseChainFused>(),
                                   {floating_implementation<ElementwiseChainFused, FusedChainKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
