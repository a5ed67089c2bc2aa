#include "operators/cross_entropy.hpp"

#include <cstdint>

#include "operators/device/exp.hpp"
#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// A row's logits in one walk: a sum of exp(x - shift), and a new shift where a logit lies above it (the online softmax
/// of Milakov and Gimelshein, arXiv:1805.02867).
template <class T>
struct CrossEntropyBody {
  using A = Accumulate<T>;
  const T* x;
  const std::int32_t* label;
  A* loss;
  Index n;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index token, const Group& group, Index) const {
    const T* source = x + token * n;
    const Sum all = on_host ? by_blocks<N>(source) : by_packs<N>(source, group);
    const A shift = group.maximum(all.shift);
    const A total = group.sum(all.total * Kokkos::exp(all.shift - shift));
    if (group.rank() == 0) loss[token] = Kokkos::log(total) + (shift - widen(source[label[token]]));
  }

 private:
  static constexpr A lowest = -Kokkos::Experimental::finite_max_v<A>;
  /// A CPU thread looks at a block's largest logit after it has summed the block. If that is so far above the shift
  /// (the row's first logit or an earlier largest one) that exponentials might overflow, it sums the block again.
  static constexpr Index block = 8192;
  static constexpr A headroom = 20;

  struct Sum {
    A shift, total;
  };
  template <int N>
  GABLE_FUNCTION Sum by_blocks(const T* source) const {
    Sum all{widen(source[0]), 0};
    for (Index k = 0; k < n; k += block) {
      const Index length = n - k < block ? n - k : block;
      A largest = lowest;
      A total = block_sum<N>(source + k, length, all.shift, largest);
      if (largest > all.shift + headroom) {
        all.total *= Kokkos::exp(all.shift - largest);
        all.shift = largest;
        total = block_sum<N>(source + k, length, all.shift, largest);
      }
      all.total += total;
    }
    return all;
  }
  template <int N>
  GABLE_FUNCTION A block_sum(const T* source, Index length, A shift, A& largest) const {
    LanesOf<T, N> best = lowest, total = A(0);
    for_row_in_halves<N>(
        OneThread{}, length,
        [&](auto access, Index k) __attribute__((always_inline)) {
          const LanesOf<T, N> logits = access.load(source + k, exponent_of_zero<A>);
          best = max(logits, best);
          return ExpFor<T, N>(logits, shift);
        },
        [&](auto, Index, const ExpFor<T, N>& power) __attribute__((always_inline)) { total += power.result(); });
    largest = maximum(best);
    return sum(total);
  }
  template <int N, class Group>
  GABLE_FUNCTION Sum by_packs(const T* source, const Group& group) const {
    Sum all{lowest, 0};
    for_row_in_halves<N>(
        group, n,
        [&](auto access, Index k)
            __attribute__((always_inline)) { return access.fetch(source + k, exponent_of_zero<A>); },
        [&](auto, Index, const Fetched<T, N>& elements) __attribute__((always_inline)) {
          const LanesOf<T, N> logits = lanes_of(elements);
          A largest = logits[0];
          for (int i = 1; i < N; ++i) largest = Kokkos::fmax(largest, logits[i]);
          if (largest > all.shift + headroom) {
            all.total *= Kokkos::exp(all.shift - largest);
            all.shift = largest;
          }
          all.total += sum(exp_for<T>(logits, all.shift));
        });
    return all;
  }
};

template <class T>
struct CrossEntropyKernel : RowKernel<T, CrossEntropyBody<T>> {
  static Types types() {
    Types all = uniform_types(dtype_of<T>());
    all.out = all.accumulate;
    return all;
  }
  CrossEntropyKernel(const CrossEntropy::Params& p, const Buffers& buffers)
      : RowKernel<T, CrossEntropyBody<T>>{
            p.tokens,
            p.n,
            {buffers.input<T>(0), buffers.input<std::int32_t>(1), buffers.output<Accumulate<T>>(0), p.n}} {}
};

}  // namespace

const OperatorEntry& cross_entropy_entry() { return floating_entry<CrossEntropy, CrossEntropyKernel>(); }

}  // namespace gable::operators
