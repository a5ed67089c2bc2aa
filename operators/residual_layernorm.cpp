#include "operators/residual_layernorm.hpp"

#include <type_traits>

#include "operators/device/elementwise.hpp"
#include "operators/device/layernorm_rows.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

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
  const T* gamma;
  const T* beta;
  T* h;
  T* y;
  Index n;
  static constexpr bool needs_registers = sizeof(T) == 2;

  template <int N>
  struct Addends {
    Fetched<T, N> x, r;
  };
  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
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
    const auto moments = moments_from<N, T>(sums, first, sum, n, group);
    const Index ahead = row_ahead<T>(n);
    normalise_row<N, T>(
        sum, gamma, beta, target, n, group, moments, [&](Index k) __attribute__((always_inline)) {
          prefetch_read(value + ahead + k);
          prefetch_read(residual + ahead + k);
          prefetch_write(sum + ahead + k);
        });
  }
};

template <class T>
struct ResidualLayernormFusedKernel : UniformTypes<T>, RowKernel<T, ResidualLayernormBody<T>> {
  ResidualLayernormFusedKernel(const ResidualLayernorm::Params& p, const Buffers& buffers)
      : RowKernel<T, ResidualLayernormBody<T>>{p.m,
                                               p.n,
                                               {buffers.input<T>(0), buffers.input<T>(1), buffers.input<T>(2),
                                                buffers.input<T>(3), buffers.output<T>(0), buffers.output<T>(1), p.n}} {
  }
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

const OperatorEntry& residual_layernorm_fused_entry() {
  return floating_entry<ResidualLayernormFused, ResidualLayernormFusedKernel>();
}
const OperatorEntry& residual_layernorm_unfused_entry() {
  return floating_entry<ResidualLayernormUnfused, ResidualLayernormUnfusedKernel>();
}

}  // namespace gable::operators
