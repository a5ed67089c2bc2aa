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
    return inverse(group.sum(sum(squares)));
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
#if defined(GABLE_ARRAY_LANES)
  template <class Row>
  GABLE_FUNCTION void held(Index i, Row& row, T* target) const {
    auto elements = row.fetch(x + i * n);
    const A squares = row.total([&](int p) __attribute__((always_inline)) {
      const auto value = elements.lanes(p);
      return value * value;
    });
    const A scale = inverse(squares);
    row.store(
        target, [&](int p) __attribute__((always_inline)) {
          return result(Operands<Row::width>{elements.pack[p], row.of_shared(gamma, p)}, scale);
        });
  }
#endif

 private:
  GABLE_FUNCTION A inverse(A squares) const {
    return A(1) / Kokkos::sqrt(squares / static_cast<A>(n) + A(Rmsnorm::epsilon));
  }
};

template <class T>
struct RmsnormKernel : UniformTypes<T>, WalksKernel<T, RmsnormBody<T>> {
  RmsnormKernel(const Rmsnorm::Params& p, const Buffers& buffers)
      : WalksKernel<T, RmsnormBody<T>>{p.m,
                                       {buffers.output<T>(0), p.n, {buffers.input<T>(0), buffers.input<T>(1), p.n}}} {}
};

}  // namespace

const OperatorEntry& rmsnorm_entry() { return floating_entry<Rmsnorm, RmsnormKernel>(); }

}  // namespace gable::operators
