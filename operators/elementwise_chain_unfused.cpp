#include "operators/elementwise_chain_unfused.hpp"

#include "operators/device/chain_step.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

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

const OperatorEntry& elementwise_chain_unfused_entry() {
  static const OperatorEntry entry{&spec_of<ElementwiseChainUnfused>(),
                                   {floating_implementation<ElementwiseChainUnfused, UnfusedChainKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
