#include "operators/reduction.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/reduction.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// The i-th element of x, or its product with that of y.
template <class T, int inputs>
struct ReducedBody {
  const T* x;
  const T* y;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i) const {
    if constexpr (inputs == 1) {
      return access.load(x + i);
    } else {
      return access.load(x + i) * access.load(y + i);
    }
  }
};

template <class T, int inputs>
struct ReductionKernel : UniformTypes<T>, Reduction<T, ReducedBody<T, inputs>> {
  ReductionKernel(const ArrayOperator::Params& p, const Buffers& buffers)
      : ReductionKernel::Reduction(buffers.output<T>(0), p.n,
                                   {buffers.input<T>(0), inputs == 2 ? buffers.input<T>(1) : nullptr}) {}
};
template <class T>
using SumKernel = ReductionKernel<T, 1>;
template <class T>
using DotKernel = ReductionKernel<T, 2>;

}  // namespace

const OperatorEntry& sum_entry() { return wide_entry<Sum, SumKernel>(); }
const OperatorEntry& dot_entry() { return wide_entry<Dot, DotKernel>(); }

}  // namespace gable::operators
