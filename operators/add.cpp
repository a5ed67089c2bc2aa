#include "operators/add.hpp"

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

}  // namespace

const OperatorEntry& add_entry() { return floating_entry<Add, AddKernel>(); }

}  // namespace gable::operators
