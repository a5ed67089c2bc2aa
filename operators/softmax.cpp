#include "operators/softmax.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// A CPU thread keeps a row's exponentials in accumulate type up to this size, so that it takes each only once; longer
/// rows, which would leave the L2 cache, and GPUs, whose exponentials are cheaper than the storage, take them twice.
constexpr Index kept_bytes = 256 * 1024;

template <class T>
struct SoftmaxBody {
  using A = Accumulate<T>;
  const T* x;
  T* y;
  Index n;
  A* kept;  ///< [threads, n] or null
  Index kept_stride;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index thread) const {
    const T* source = x + i * n;
    const A largest = row_maximum<N>(source, group);
    if (kept != nullptr) {
      A* exponentials = kept + thread * kept_stride;
      const A total = row_sum<N>(source, group, largest, exponentials);
      scale<N>(exponentials, y + i * n, group, A(1) / total);
    } else {
      const A total = row_sum<N>(source, group, largest, nullptr);
      again<N>(source, y + i * n, group, largest, A(1) / total);
    }
  }

 private:
  template <int N, class Group>
  GABLE_FUNCTION A row_maximum(const T* source, const Group& group) const {
    const A lowest = -Kokkos::Experimental::finite_max_v<A>;
    LanesOf<T, N> best[slots];
    for (int s = 0; s < slots; ++s) best[s] = lowest;
    for_row<N>(group, n, [&](auto access, Index k, int s) { best[s] = max(access.load(source + k, lowest), best[s]); });
    for (int s = 1; s < slots; ++s) best[0] = max(best[0], best[s]);
    return group.maximum(maximum(best[0]));
  }
  template <int N, class Group>
  GABLE_FUNCTION A row_sum(const T* source, const Group& group, A largest, A* exponentials) const {
    const A lowest = -Kokkos::Experimental::finite_max_v<A>;
    LanesOf<T, N> total[slots];
    for (int s = 0; s < slots; ++s) total[s] = A(0);
    for_row<N>(group, n, [&](auto access, Index k, int s) {
      const auto e = exp(access.load(source + k, lowest) - largest);
      if (exponentials != nullptr) access.store(exponentials + k, e);
      total[s] += e;
    });
    for (int s = 1; s < slots; ++s) total[0] += total[s];
    return group.sum(sum(total[0]));
  }
  template <int N, class Group>
  GABLE_FUNCTION void scale(const A* exponentials, T* target, const Group& group, A factor) const {
    for_row<N>(group, n,
               [&](auto access, Index k, int) { access.store(target + k, access.load(exponentials + k) * factor); });
  }
  template <int N, class Group>
  GABLE_FUNCTION void again(const T* source, T* target, const Group& group, A largest, A factor) const {
    for_row<N>(group, n, [&](auto access, Index k, int) {
      access.store(target + k, exp(access.load(source + k) - largest) * factor);
    });
  }
};

template <class T>
struct SoftmaxKernel : UniformTypes<T> {
  using A = Accumulate<T>;
  Index m, n;
  Kokkos::View<A*, Exec::memory_space> kept;
  SoftmaxBody<T> body;

  SoftmaxKernel(const Softmax::Params& p, const Buffers& buffers)
      : m(p.m), n(p.n), body{buffers.input<T>(0), buffers.output<T>(0), p.n, nullptr, 0} {
    if (!on_host || p.n * static_cast<Index>(sizeof(A)) > kept_bytes) return;
    body.kept_stride = (p.n + chunk_grain - 1) / chunk_grain * chunk_grain;
    kept = decltype(kept)("gable::softmax::kept", static_cast<std::size_t>(Exec().concurrency() * body.kept_stride));
    body.kept = kept.data();
  }
  void run(const Exec& exec) const { for_rows<T>(exec, m, n, body); }
};

}  // namespace

const OperatorEntry& softmax_entry() {
  static const OperatorEntry entry{&spec_of<Softmax>(), {floating_implementation<Softmax, SoftmaxKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
