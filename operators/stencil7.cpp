#include "operators/stencil7.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/stencil.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct Stencil7Kernel : UniformTypes<T> {
  StencilSweep<T, Formula7<T>> sweep;

  Stencil7Kernel(const Stencil7::Params& p, const Buffers& buffers)
      : sweep(buffers.input<T>(0), buffers.output<T>(0), p, {}) {}
  void run(const Exec& exec) const { sweep.run(exec); }
};

}  // namespace

const OperatorEntry& stencil7_entry() {
  static const OperatorEntry entry{&spec_of<Stencil7>(),
                                   {implementation<Stencil7, Stencil7Kernel<double>, Stencil7Kernel<float>>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
