#include "operators/triad.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct TriadBody {
  const T* b;
  const T* c;
  Accumulate<T> k;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return access.load(b + i) + k * access.load(c + i);
  }
};

template <class T>
struct TriadKernel : UniformTypes<T>, ElementwiseKernel<T, TriadBody<T>> {
  TriadKernel(const Triad::Params& p, const Buffers& buffers)
      : ElementwiseKernel<T, TriadBody<T>>{
            buffers.output<T>(0), p.n, p.n, {buffers.input<T>(0), buffers.input<T>(1), Accumulate<T>(Triad::k)}} {}
};

}  // namespace

const OperatorEntry& triad_entry() { return floating_entry<Triad, TriadKernel>(); }

}  // namespace gable::operators
