#include "operators/add.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct AddBody {
  const T* a;
  const T* b;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return access.load(a + i) + access.load(b + i);
  }
};

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
