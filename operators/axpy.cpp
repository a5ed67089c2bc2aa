#include "operators/axpy.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct AxpyBody {
  const T* x;
  const T* y;
  T a;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return access.load(y + i) + a * access.load(x + i);
  }
};

template <class T>
struct AxpyKernel : UniformTypes<T> {
  T* y;
  Index n;
  AxpyBody<T> body;

  AxpyKernel(const Axpy::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0), y, T(Axpy::a)} {}
  void run(const Exec& exec) {
    elementwise(exec, y, n, n, body);
    body.a = -body.a;
  }
};

}  // namespace

const OperatorEntry& axpy_entry() { return wide_entry<Axpy, AxpyKernel>(); }

}  // namespace gable::operators
