#include "operators/rmsnorm.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/two_walks.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Mean square, then the result.
template <class T>
struct RmsnormBody {
  using A = Accumulate<T>;
  static constexpr bool needs_registers = false;
  const T* x;
  const T* gamma;
  Index n;

  template <int N>
  GABLE_FUNCTION LanesOf<T, N> begin(Index) const {
    return A(0);
  }
  template <template <int> class Access, int N>
  GABLE_FUNCTION Fetched<T, N> fetch(Access<N> access, Index i, Index k, const LanesOf<T, N>&) const {
    return access.fetch(x + i * n + k);
  }
  template <int N>
  GABLE_FUNCTION void gather(const Fetched<T, N>& elements, LanesOf<T, N>& squares) const {
    const LanesOf<T, N> value = lanes_of(elements);
    squares += value * value;
  }
  template <int N, class Group>
  GABLE_FUNCTION A finish(Index, const Lanes<A, N>& squares, const Group& group) const {
    const A mean = group.sum(sum(squares)) / static_cast<A>(n);
    return A(1) / Kokkos::sqrt(mean + A(Rmsnorm::epsilon));
  }
  template <int N>
  struct Operands {
    Fetched<T, N> x, gamma;
  };
  template <template <int> class Access, int N>
  GABLE_FUNCTION Operands<N> fetch_operands(Access<N> access, Index i, Index k) const {
    return {access.fetch(x + i * n + k), access.fetch(gamma + k)};
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> result(const Operands<N>& at, A scale) const {
    return lanes_of(at.x) * scale * lanes_of(at.gamma);
  }
};

template <class T>
struct RmsnormKernel : UniformTypes<T>, RowKernel<T, TwoWalks<T, RmsnormBody<T>>> {
  RmsnormKernel(const Rmsnorm::Params& p, const Buffers& buffers)
      : RowKernel<T, TwoWalks<T, RmsnormBody<T>>>{
            p.m, p.n, {buffers.output<T>(0), p.n, {buffers.input<T>(0), buffers.input<T>(1), p.n}}} {}
};

}  // namespace

const OperatorEntry& rmsnorm_entry() { return floating_entry<Rmsnorm, RmsnormKernel>(); }

}  // namespace gable::operators
