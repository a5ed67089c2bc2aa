#include "operators/attention.hpp"

#include <cmath>

#include "operators/device/exp.hpp"
#include "operators/device/fill.hpp"
#include "operators/device/rows.hpp"
#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"
#include "operators/device/tile/tile.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// P = softmax(S) by rows of length n, which stay in cache; exponentials are taken twice rather than stored. A causal
/// row covers the keys that it sees; the rest of P is 0 and stays 0.
template <class T>
struct WeightsBody {
  using A = Accumulate<T>;
  const T* scores;
  T* weights;
  Index n;
  bool causal;
  static constexpr bool needs_registers = true;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    const Index seen = causal ? i % n + 1 : n;
    // A host's steps are cut at the end; a GPU's are whole packs, and one more whose last elements are masked. Were
    // they masked in every step, compilers would load elements one by one.
    const Index whole = on_host ? seen : seen / N * N;
    const T* source = scores + i * n;
    // step(access, k, the scores from k on, slot)
    const auto over_row = [&](const auto& step) {
      for_row<N>(
          group, whole, [&](auto access, Index k) { return access.fetch(source + k, lowest); },
          [&](auto access, Index k, const Fetched<T, N>& pack, int s) { step(access, k, lanes_of(pack), s); });
      if constexpr (!on_host) {
        const Masked<N> last{static_cast<int>(seen - whole)};
        if (last.count > 0 && group.rank() == whole / N % group.size()) {
          step(last, whole, last.load(source + whole, lowest), 0);
        }
      }
    };
    LanesOf<T, N> best[slots], total[slots];
    for (int s = 0; s < slots; ++s) best[s] = lowest;
    for (int s = 0; s < slots; ++s) total[s] = A(0);
    over_row([&](auto, Index, const auto& lanes, int s) { best[s] = max(lanes, best[s]); });
    for (int s = 1; s < slots; ++s) best[0] = max(best[0], best[s]);
    const A largest = group.maximum(maximum(best[0]));
    over_row([&](auto, Index, const auto& lanes, int s) { total[s] += exp_for<T>(lanes, largest); });
    for (int s = 1; s < slots; ++s) total[0] += total[s];
    const A factor = A(1) / group.sum(sum(total[0]));
    over_row([&](auto access, Index k, const auto& lanes, int) {
      access.store(weights + i * n + k, exp_for<T>(lanes, largest) * factor);
    });
  }

 private:
  static constexpr A lowest = -Kokkos::Experimental::finite_max_v<A>;

  /// A pack of which the first `count` elements count; the others are `rest`. All are stored.
  template <int N>
  struct Masked {
    int count;
    GABLE_FUNCTION LanesOf<T, N> load(const T* from, A rest) const {
      LanesOf<T, N> lanes = AnyOrder<N>{}.load(from);
      for (int lane = 0; lane < N; ++lane) lanes.set(lane, lane < count ? lanes[lane] : rest);
      return lanes;
    }
    GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes) const { AnyOrder<N>{}.store(target, lanes); }
  };
};

template <class T>
struct AttentionNaiveKernel : UniformTypes<T> {
  using A = Accumulate<T>;
  Index h, l;
  bool causal;
  Kokkos::View<T*, Exec::memory_space> scores, weights;
  tile::Product<T, true> first;
  tile::Product<T, false> second;

  AttentionNaiveKernel(const AttentionNaive::Params& p, const Buffers& buffers)
      : h(p.h),
        l(p.l),
        causal(Attention::is_causal(p)),
        scores(tile::make_workspace<T>("gable::attention::scores", p.h * p.l * p.l)),
        weights(tile::make_workspace<T>("gable::attention::weights", p.h * p.l * p.l)),
        first({p.kv, p.h / p.kv * p.l, p.l, p.d}, buffers.input<T>(0), buffers.input<T>(1), scores.data(),
              A(1.0 / std::sqrt(static_cast<double>(p.d)))),
        second({p.kv, p.h / p.kv * p.l, p.d, p.l}, weights.data(), buffers.input<T>(2), buffers.output<T>(0), A(1)) {
    if (causal) Fill<T>{weights.data(), p.h * p.l * p.l, 0, 0, 0.0, 0.0}.run(Exec());
  }
  void run(const Exec& exec) {
    first.run(exec);
    for_rows<T>(exec, h * l, l, WeightsBody<T>{scores.data(), weights.data(), l, causal});
    second.run(exec);
  }
};

}  // namespace

const OperatorEntry& attention_naive_entry() {
  return entry_of<AttentionNaive>(tile::implementations<AttentionNaive, AttentionNaiveKernel>());
}

}  // namespace gable::operators
