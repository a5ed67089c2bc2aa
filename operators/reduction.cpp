#include "operators/reduction.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/reduction.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct SumBody {
  const T* x;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i) const {
    return access.load(x + i);
  }
};

template <class T>
struct SumKernel : UniformTypes<T> {
  Reduction<T, SumBody<T>> reduction;

  SumKernel(const Sum::Params& p, const Buffers& buffers)
      : reduction(buffers.output<T>(0), p.n, {buffers.input<T>(0)}) {}
  void run(const Exec& exec) const { reduction.run(exec); }
};

template <class T>
struct DotBody {
  const T* x;
  const T* y;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i) const {
    return access.load(x + i) * access.load(y + i);
  }
};

template <class T>
struct DotKernel : UniformTypes<T> {
  Reduction<T, DotBody<T>> reduction;

  DotKernel(const Dot::Params& p, const Buffers& buffers)
      : reduction(buffers.output<T>(0), p.n, {buffers.input<T>(0), buffers.input<T>(1)}) {}
  void run(const Exec& exec) const { reduction.run(exec); }
};

}  // namespace

const OperatorEntry& sum_entry() { return wide_entry<Sum, SumKernel>(); }
const OperatorEntry& dot_entry() { return wide_entry<Dot, DotKernel>(); }

}  // namespace gable::operators
