#include "operators/add.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct AddKernel : UniformTypes<T> {
  T* y;
  Index n;
  AddBody<T> body;

  AddKernel(const Add::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0), buffers.input<T>(1)} {}
  void run(const Exec& exec) const { elementwise(exec, y, n, n, body); }
};

}  // namespace

const OperatorEntry& add_entry() {
  static const OperatorEntry entry{&spec_of<Add>(), {floating_implementation<Add, AddKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
