#include "operators/softmax.hpp"

#include <type_traits>

#include "operators/device/exp.hpp"
#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/gpu_rows.hpp"
#endif

namespace gable::operators {
namespace {

using namespace gable::device;

/// A CPU thread keeps a row's exponentials in accumulate type up to this size, so that it takes each only once; longer
/// rows, which would leave the L2 cache, take them twice, and so do rows that do not fit a GPU team's registers
/// (tile/gpu_rows.hpp).
constexpr Index kept_bytes = 256 * 1024;

/// 2-byte types stay under their roof on a fast memory: 20 floating-point instructions a register of 8 (maximum 2 or 3,
/// exponential and sum 14, scaling and storing 3) take 7.5 cycles out of L1 (Zen 3: 1, 5.3 and 1.2), beside the 8 that
/// memory takes at 12.5 GB/s a core and 5 at 20 GB/s; the maximum needs the whole row before the first exponential.
template <class T>
struct SoftmaxBody {
  using A = Accumulate<T>;
  const T* x;
  T* y;
  Index n;
  bool keeps;
  A* kept;  ///< [threads, n]; for storage narrower than A, else y itself holds them
  Index kept_stride;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index thread) const {
    const T* source = x + i * n;
    T* target = y + i * n;
    const A largest = row_maximum<N>(source, group);
    if (on_host && keeps) {
      A* exponentials = kept + thread * kept_stride;
      if constexpr (std::is_same_v<T, A>) exponentials = target;
      const A total = row_sum<N, true>(source, target, group, largest, exponentials);
      scale<N>(exponentials, target, group, A(1) / total);
    } else {
      const A total = row_sum<N, false>(source, target, group, largest, nullptr);
      again<N>(source, target, group, largest, A(1) / total);
    }
  }

#if defined(GABLE_ARRAY_LANES)
  /// A row in a GPU's registers: an element is read once and has one exponential.
  template <class Row>
  GABLE_FUNCTION void held(Index i, Row& row) const {
    auto fetched = row.fetch(x + i * n);
    LanesOf<T> kept[Row::packs];
    A best = lowest;
#pragma unroll
    for (int p = 0; p < Row::packs; ++p) {
      kept[p] = fetched.lanes(p);
#pragma unroll
      for (int k = 0; k < Row::width; ++k) best = Kokkos::fmax(best, kept[p][k]);
    }
    best = row.maximum(best);
    const A total =
        row.total([&](int p) __attribute__((always_inline)) { return kept[p] = exp_for<T>(kept[p], best); });
    const A factor = A(1) / total;
    row.store(
        y + i * n, [&](int p) __attribute__((always_inline)) { return kept[p] * factor; });
  }
#endif

 private:
  static constexpr A lowest = -Kokkos::Experimental::finite_max_v<A>;

  template <int N, class Group>
  GABLE_FUNCTION A row_maximum(const T* source, const Group& group) const {
    LanesOf<T, N> best[slots];
    for (int s = 0; s < slots; ++s) best[s] = lowest;
    for_row<N>(
        group, n, [&](auto access, Index k) __attribute__((always_inline)) { return access.fetch(source + k, lowest); },
        [&](auto, Index, const Fetched<T, N>& elements, int s)
            __attribute__((always_inline)) { best[s] = max(lanes_of(elements), best[s]); });
    for (int s = 1; s < slots; ++s) best[0] = max(best[0], best[s]);
    return group.maximum(maximum(best[0]));
  }
  /// total += x, lane by lane over the parts of x. One total fits the registers beside the constants of an exponential,
  /// one for each part does not; in memory, where a compiler would still rather keep it than a constant, it is a chain
  /// of store, load and add from step to step, longer than the step's arithmetic.
  template <int N>
  static GABLE_FUNCTION void add_parts(Lanes<A, Lanes<A, N>::width>& total, const Lanes<A, N>& x) {
    auto sum = x.part[0];
    for (int p = 1; p < Lanes<A, N>::parts; ++p) sum += x.part[p];
    total.part[0] += sum;
    keep_in_register(total);
  }
  template <int N, bool keep, class Group>
  GABLE_FUNCTION A row_sum(const T* source, T* target, const Group& group, A largest, A* exponentials) const {
    const Index ahead = row_ahead<T>(n);
    LanesOf<T, LanesOf<T, N>::width> total = A(0);
    const auto add = [&](auto access, Index k, const ExpFor<T, N>& power) __attribute__((always_inline)) {
      const LanesOf<T, N> e = power.result();
      if constexpr (keep) access.store(exponentials + k, e);
      add_parts<N>(total, e);
    };
    if constexpr (on_host) {
      for_row_in_halves<N>(
          group, n,
          [&](auto access, Index k) __attribute__((always_inline)) {
            prefetch_read(source + ahead + k);
            prefetch_write(target + ahead + k);
            return ExpFor<T, N>(access.load(source + k, exponent_of_zero<A>), largest);
          },
          add);
    } else {
      for_row<N>(
          group, n, [&](auto access, Index k) __attribute__((always_inline)) { return access.fetch(source + k); },
          [&](auto access, Index k, const Fetched<T, N>& elements, int)
              __attribute__((always_inline)) { add(access, k, ExpFor<T, N>(lanes_of(elements), largest)); });
    }
    return group.sum(sum(total));
  }
  template <int N, class Group>
  GABLE_FUNCTION void scale(const A* exponentials, T* target, const Group& group, A factor) const {
    for_row<N>(
        group, n, [&](auto access, Index k, int) __attribute__((always_inline)) {
          access.store_ties_unspecified(target + k, access.load(exponentials + k) * factor);
        });
  }
  template <int N, class Group>
  GABLE_FUNCTION void again(const T* source, T* target, const Group& group, A largest, A factor) const {
    for_row<N>(
        group, n, [&](auto access, Index k) __attribute__((always_inline)) { return access.fetch(source + k); },
        [&](auto access, Index k, const Fetched<T, N>& elements, int) __attribute__((always_inline)) {
          access.store_ties_unspecified(target + k, exp_for<T>(lanes_of(elements), largest) * factor);
        });
  }
};

template <class T>
struct SoftmaxKernel : UniformTypes<T> {
  using A = Accumulate<T>;
  Index m, n;
  bool keeps;
  Index kept_stride;
  Kokkos::View<A*, Exec::memory_space> kept;
  SoftmaxBody<T> body;

  SoftmaxKernel(const Softmax::Params& p, const Buffers& buffers)
      : m(p.m),
        n(p.n),
        keeps(on_host && p.n * static_cast<Index>(sizeof(A)) <= kept_bytes),
        kept_stride(keeps && !std::is_same_v<T, A> ? (p.n + chunk_grain - 1) / chunk_grain * chunk_grain : 0),
        kept("gable::softmax::kept", static_cast<std::size_t>(Exec().concurrency() * kept_stride)),
        body{buffers.input<T>(0), buffers.output<T>(0), p.n, keeps, kept.data(), kept_stride} {}
  void run(const Exec& exec) const {
#if defined(GABLE_ARRAY_LANES)
    if (tile::run_held_rows<T>("gable::softmax", exec, m, n, body)) return;
#endif
    for_rows<T>(exec, m, n, body);
  }
};

}  // namespace

const OperatorEntry& softmax_entry() { return floating_entry<Softmax, SoftmaxKernel>(); }

}  // namespace gable::operators
