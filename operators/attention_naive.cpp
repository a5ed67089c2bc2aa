#include "operators/attention_naive.hpp"

#include <cmath>

#include "operators/device/exp.hpp"
#include "operators/device/rows.hpp"
#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"
#include "operators/device/tile/workspace.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// P = softmax(S) by rows of length n, which stay in cache; exponentials are taken twice rather than stored.
template <class T>
struct WeightsBody {
  using A = Accumulate<T>;
  const T* scores;
  T* weights;
  Index n;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    const A lowest = -Kokkos::Experimental::finite_max_v<A>;
    const T* source = scores + i * n;
    LanesOf<T, N> best[slots], total[slots];
    for (int s = 0; s < slots; ++s) best[s] = lowest;
    for (int s = 0; s < slots; ++s) total[s] = A(0);
    for_row<N>(group, n, [&](auto access, Index k, int s) { best[s] = max(access.load(source + k, lowest), best[s]); });
    for (int s = 1; s < slots; ++s) best[0] = max(best[0], best[s]);
    const A largest = group.maximum(maximum(best[0]));
    for_row<N>(group, n,
               [&](auto access, Index k, int s) { total[s] += exp_for<T>(access.load(source + k, lowest), largest); });
    for (int s = 1; s < slots; ++s) total[0] += total[s];
    const A factor = A(1) / group.sum(sum(total[0]));
    for_row<N>(group, n, [&](auto access, Index k, int) {
      access.store(weights + i * n + k, exp_for<T>(access.load(source + k), largest) * factor);
    });
  }
};

template <class T>
struct AttentionNaiveKernel : UniformTypes<T> {
  using A = Accumulate<T>;
  Index h, l;
  Kokkos::View<T*, Exec::memory_space> scores, weights;
  tile::Product<T, true> first;
  tile::Product<T, false> second;

  AttentionNaiveKernel(const AttentionNaive::Params& p, const Buffers& buffers)
      : h(p.h),
        l(p.l),
        scores(tile::make_workspace<T>("gable::attention::scores", p.h * p.l * p.l)),
        weights(tile::make_workspace<T>("gable::attention::weights", p.h * p.l * p.l)),
        first({p.h, p.l, p.l, p.d}, buffers.input<T>(0), buffers.input<T>(1), scores.data(),
              A(1.0 / std::sqrt(static_cast<double>(p.d)))),
        second({p.h, p.l, p.d, p.l}, weights.data(), buffers.input<T>(2), buffers.output<T>(0), A(1)) {}
  void run(const Exec& exec) {
    first.run(exec);
    for_rows<T>(exec, h * l, l, WeightsBody<T>{scores.data(), weights.data(), l});
    second.run(exec);
  }
};

}  // namespace

const OperatorEntry& attention_naive_entry() {
  static const OperatorEntry entry{&spec_of<AttentionNaive>(),
                                   tile::implementations<AttentionNaive, AttentionNaiveKernel>("kokkos")};
  return entry;
}

}  // namespace gable::operators
