#include "operators/layernorm.hpp"

#include <type_traits>

#include "operators/device/elementwise.hpp"
#include "operators/device/moments.hpp"
#include "operators/device/operator_kit.hpp"
#include "operators/device/two_walks.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// What the second walk of layer normalisation needs of a row.
template <class A>
struct Normal {
  A mean, scale;
};

/// (x - mean) / sqrt(variance + epsilon) gamma + beta in two walks over rows of n, which the first has read or made.
template <class T>
struct Normalise {
  using A = Accumulate<T>;
  const T* gamma;
  const T* beta;
  Index n;

  GABLE_FUNCTION Normal<A> normal(const Moments<A>& moments) const {
    return {moments.mean, A(1) / Kokkos::sqrt(moments.variance + A(Layernorm::epsilon))};
  }
  template <int N>
  struct Operands {
    Fetched<T, N> x, gamma, beta;
  };
  template <template <int> class Access, int N>
  GABLE_FUNCTION Operands<N> fetch_operands(Access<N> access, const T* row, Index k) const {
    return {access.fetch(row + k), access.fetch(gamma + k), access.fetch(beta + k)};
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> result(const Operands<N>& at, const Normal<A>& found) const {
    return (lanes_of(at.x) - found.mean) * found.scale * lanes_of(at.gamma) + lanes_of(at.beta);
  }
#if defined(GABLE_ARRAY_LANES)
  /// The result of a row that a thread block holds; no sum about another value than the mean is needed.
  template <class Row>
  GABLE_FUNCTION void held(Row& row, typename Row::Fetched x, T* target) const {
    const A mean = row.total([&](int p) __attribute__((always_inline)) { return x.lanes(p); }) / A(n);
    const A variance = row.total([&](int p) __attribute__((always_inline)) {
      const auto centred = x.lanes(p) - mean;
      return centred * centred;
    }) / A(n);
    const Normal<A> found = normal({mean, variance});
    row.store(
        target, [&](int p) __attribute__((always_inline)) {
          return result(Operands<Row::width>{x.pack[p], row.of_shared(gamma, p), row.of_shared(beta, p)}, found);
        });
  }
#endif
};

template <class T>
struct LayernormBody {
  using A = Accumulate<T>;
  static constexpr bool needs_registers = sizeof(T) == 4;  ///< with 64 a thread nvcc spills two of them
  const T* x;
  Normalise<T> normalise;

  template <int N>
  GABLE_FUNCTION MomentSums<T, N> begin(Index i) const {
    return {widen(x[i * normalise.n])};
  }
  template <template <int> class Access, int N>
  GABLE_FUNCTION Fetched<T, N> fetch(Access<N> access, Index i, Index k, const MomentSums<T, N>& sums) const {
    return access.fetch(x + i * normalise.n + k, sums.first);
  }
  template <int N>
  GABLE_FUNCTION void gather(const Fetched<T, N>& elements, MomentSums<T, N>& sums) const {
    sums.add(lanes_of(elements));
  }
  template <int N, class Group>
  GABLE_FUNCTION Normal<A> finish(Index i, const MomentSums<T, N>& sums, const Group& group) const {
    return normalise.normal(sums.moments(x + i * normalise.n, normalise.n, group));
  }
  template <template <int> class Access, int N>
  GABLE_FUNCTION auto fetch_operands(Access<N> access, Index i, Index k) const {
    return normalise.fetch_operands(access, x + i * normalise.n, k);
  }
  template <class Operands>
  GABLE_FUNCTION auto result(const Operands& operands, const Normal<A>& found) const {
    return normalise.result(operands, found);
  }
#if defined(GABLE_ARRAY_LANES)
  template <class Row>
  GABLE_FUNCTION void held(Index i, Row& row, T* target) const {
    normalise.held(row, row.fetch(x + i * normalise.n), target);
  }
#endif
};

template <class T>
using LayernormWalks = WalksKernel<T, LayernormBody<T>>;

template <class T>
struct LayernormKernel : UniformTypes<T>, LayernormWalks<T> {
  LayernormKernel(const Layernorm::Params& p, const Buffers& buffers)
      : LayernormWalks<T>{
            p.m, {buffers.output<T>(0), p.n, {buffers.input<T>(0), {buffers.input<T>(1), buffers.input<T>(2), p.n}}}} {}
};

/// Stores lanes and returns them as they are now stored; `rest` beyond the end of a row.
template <class T, template <int> class Access, int N>
GABLE_FUNCTION LanesOf<T, N> stored(Access<N> access, T* target, LanesOf<T, N> lanes, Accumulate<T> rest) {
  access.store(target, lanes);
  if constexpr (!std::is_same_v<T, Accumulate<T>>) {
    if constexpr (on_host) {
      lanes = access.load(target, rest);
    } else {
      for (int i = 0; i < N; ++i) lanes.set(i, widen(narrow<T>(lanes[i])));
    }
  }
  return lanes;
}

/// Two walks over a row: the sum and its moments, then the result. The first asks for the lines of the result, the
/// second for those of the next row.
template <class T>
struct ResidualLayernormBody {
  using A = Accumulate<T>;
  const T* x;
  const T* r;
  Normalise<T> normalise;
  T* h;
  T* y;
  static constexpr bool needs_registers = sizeof(T) == 2;

  template <int N>
  struct Addends {
    Fetched<T, N> x, r;
  };
  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    const Index n = normalise.n;
    const T* value = x + i * n;
    const T* residual = r + i * n;
    T* sum = h + i * n;
    T* target = y + i * n;
    const A first = widen(narrow<T>(widen(value[0]) + widen(residual[0])));
    const auto sums = row_sums<N, T>(
        n, group, first,
        [&](auto access, Index k) __attribute__((always_inline)) {
          prefetch_write(target + k);
          return Addends<N>{access.fetch(value + k, first), access.fetch(residual + k)};
        },
        [&](auto access, Index k, const Addends<N>& at) __attribute__((always_inline)) {
          return stored<T>(access, sum + k, lanes_of(at.x) + lanes_of(at.r), first);
        });
    const auto found = normalise.normal(moments_from<N, T>(sums, first, sum, n, group));
    const Index ahead = row_ahead<T>(n);
    for_row<N>(
        group, n,
        [&](auto access, Index k) __attribute__((always_inline)) {
          prefetch_read(value + ahead + k);
          prefetch_read(residual + ahead + k);
          prefetch_write(sum + ahead + k);
          return normalise.fetch_operands(access, sum, k);
        },
        [&](auto access, Index k, const auto& operands, int) __attribute__((always_inline)) {
          access.store_ties_unspecified(target + k, normalise.result(operands, found));
        });
  }
};

template <class T>
struct ResidualLayernormFusedKernel : UniformTypes<T>, RowKernel<T, ResidualLayernormBody<T>> {
  ResidualLayernormFusedKernel(const ResidualLayernorm::Params& p, const Buffers& buffers)
      : RowKernel<T, ResidualLayernormBody<T>>{p.m,
                                               p.n,
                                               {buffers.input<T>(0),
                                                buffers.input<T>(1),
                                                {buffers.input<T>(2), buffers.input<T>(3), p.n},
                                                buffers.output<T>(0),
                                                buffers.output<T>(1)}} {}
};

template <class T>
struct ResidualLayernormUnfusedKernel : UniformTypes<T> {
  T* h;
  AddBody<T> sum;
  LayernormWalks<T> normal;

  ResidualLayernormUnfusedKernel(const ResidualLayernorm::Params& p, const Buffers& buffers)
      : h(buffers.output<T>(0)),
        sum{buffers.input<T>(0), buffers.input<T>(1)},
        normal{p.m, {buffers.output<T>(1), p.n, {h, {buffers.input<T>(2), buffers.input<T>(3), p.n}}}} {}
  void run(const Exec& exec) const {
    elementwise(exec, h, normal.rows * normal.walks.columns, normal.rows * normal.walks.columns, sum);
    normal.run(exec);
  }
};

}  // namespace

const OperatorEntry& layernorm_entry() { return floating_entry<Layernorm, LayernormKernel>(); }
const OperatorEntry& residual_layernorm_fused_entry() {
  return floating_entry<ResidualLayernormFused, ResidualLayernormFusedKernel>();
}
const OperatorEntry& residual_layernorm_unfused_entry() {
  return floating_entry<ResidualLayernormUnfused, ResidualLayernormUnfusedKernel>();
}

}  // namespace gable::operators
