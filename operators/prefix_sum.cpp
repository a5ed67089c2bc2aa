#include "operators/prefix_sum.hpp"

#include <utility>

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Inclusive sums over the lanes of one register, and from one register to the next.
#if !defined(GABLE_ARRAY_LANES)
template <int places, class V, std::size_t... lane>
GABLE_FUNCTION V moved_up(V x, std::index_sequence<lane...>) {
  constexpr std::size_t width = sizeof...(lane);
  return __builtin_shufflevector(V{}, x, (lane < places ? lane : width + lane - places)...);
}
template <class V, std::size_t... lane>
GABLE_FUNCTION V all_of_last(V x, std::index_sequence<lane...>) {
  constexpr std::size_t width = sizeof...(lane);
  return __builtin_shufflevector(x, x, (lane - lane + width - 1)...);
}
template <int width, int places = 1, class V>
GABLE_FUNCTION V sums_within(V x) {
  if constexpr (places < width) {
    return sums_within<width, 2 * places>(V(x + moved_up<places>(x, std::make_index_sequence<width>{})));
  } else {
    return x;
  }
}
/// Sums within lanes; `before`, what lies before them in all lanes of a register, goes on behind them.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> inclusive(Lanes<A, N> x, typename Lanes<A, N>::Part& before) {
  constexpr int width = Lanes<A, N>::width;
  for (int p = 0; p < x.parts; ++p) {
    const auto local = sums_within<width>(x.part[p]);
    x.part[p] = local + before;
    before += all_of_last(local, std::make_index_sequence<width>{});
  }
  return x;
}
#endif

/// CPU: threads take tiles by turns. A thread sums its tile, which brings it to its cache, waits for the sum of all
/// before, hands its own on to the thread of the next tile, and only then scans. Tiles are summed one after the other
/// in a fixed order, so that a run repeats to the last bit. The threads must run at the same time, which those of a
/// parallel region do.
template <class A>
struct alignas(64) Handover {
  A sum;
  int ready;
};

template <class T>
struct ScanTiles {
  using A = Accumulate<T>;
  static constexpr Index tile = 32 * 1024 / sizeof(T);
  const T* x;
  T* y;
  Index n, parts;
  Handover<A>* handovers;  ///< one a thread, from tile t in t mod parts; empty between runs

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    for (Index t = part; t * tile < n; t += parts) {
      const Index begin = t * tile, count = n - begin < tile ? n - begin : tile;
      const A own = sum_of(begin, count);
      const A before = t == 0 ? A(0) : taken(handovers[(t - 1) % parts]);
      if (begin + tile < n) hand_over(handovers[t % parts], before + own);
      scan(begin, count, before);
    }
  }

 private:
  GABLE_FUNCTION A sum_of(Index begin, Index count) const {
    const T* const source = x + begin;
    LanesOf<T> total[slots];
    for (int s = 0; s < slots; ++s) total[s] = A(0);
    for_row<pack_size<T>>(
        OneThread{}, count, [&](auto access, Index k, int s) __attribute__((always_inline)) {
          total[s] += access.load(source + k);
        });
    for (int s = 1; s < slots; ++s) total[0] += total[s];
    return sum(total[0]);
  }
  static GABLE_FUNCTION A taken(Handover<A>& from) {
    while (Kokkos::atomic_load(&from.ready) == 0) {
    }
    Kokkos::memory_fence();
    const A sum = from.sum;
    Kokkos::atomic_store(&from.ready, 0);
    return sum;
  }
  static GABLE_FUNCTION void hand_over(Handover<A>& to, A sum) {
    to.sum = sum;
    Kokkos::memory_fence();
    Kokkos::atomic_store(&to.ready, 1);
  }
  GABLE_FUNCTION void scan(Index begin, Index count, A before) const {
    const T* const source = x + begin;
    T* const target = y + begin;
    Index k = 0;
#if !defined(GABLE_ARRAY_LANES)
    constexpr int pack = pack_size<T>;
    typename LanesOf<T>::Part running = LanesOf<T>(before).part[0];
    for (; k + pack <= count; k += pack) {
      prefetch_read(source + parts * tile + k);
      store<pack>(target + k, inclusive(load<pack>(source + k), running));
    }
    before = running[0];
#endif
    for (; k < count; ++k) target[k] = narrow<T>(before += widen(source[k]));
  }
};

/// GPU: each team sums a contiguous chunk of blocks; in a second launch it adds up the sums before its own and scans.
template <class T>
struct ScanChunks {
  using A = Accumulate<T>;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;
  static constexpr int threads = 256;
  const T* x;
  T* y;
  A* sums;
  Index n, teams;
  bool second;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    if (n % pack_size<T> == 0) {
      chunk<pack_size<T>>(member);
    } else {
      chunk<1>(member);
    }
  }

 private:
  template <int N>
  GABLE_FUNCTION void chunk(const Member& member) const {
    const Team<Member, threads> group{member};
    const Chunk own = chunk_of(n, member.league_rank(), teams, threads * pack_size<T>);
    A total = 0;
    if (second) {
      for (Index k = group.rank(); k < member.league_rank(); k += threads) total += sums[k];
      total = group.sum(total);
      for (Index i = own.begin; i < own.end; i += threads * N) total += scan_block<N>(member, i, own.end, total);
    } else {
      for (Index i = own.begin + group.rank() * N; i < own.end; i += threads * N) total += sum(load<N>(x + i));
      total = group.sum(total);
      if (group.rank() == 0) sums[member.league_rank()] = total;
    }
  }
  /// Returns the sum of the block.
  template <int N>
  GABLE_FUNCTION A scan_block(const Member& member, Index begin, Index end, A before) const {
    const Index i = begin + member.team_rank() * N;
    LanesOf<T, N> values = A(0);
    if (i < end) values = load<N>(x + i);
    for (int k = 1; k < N; ++k) values.set(k, values[k] + values[k - 1]);
    const A mine = member.team_scan(values[N - 1]);
    if (i < end) store<N>(y + i, values + LanesOf<T, N>(before + mine));
    A total = mine + values[N - 1];
    member.team_broadcast(total, threads - 1);
    return total;
  }
};

template <class T>
struct PrefixSumKernel : UniformTypes<T> {
  using A = Accumulate<T>;
  using Scratch = std::conditional_t<on_host, Handover<A>, A>;
  const T* x;
  T* y;
  Index n, parts;
  Kokkos::View<Scratch*, Exec::memory_space> scratch;

  PrefixSumKernel(const PrefixSum::Params& p, const Buffers& buffers)
      : x(buffers.input<T>(0)),
        y(buffers.output<T>(0)),
        n(p.n),
        parts(on_host ? Exec().concurrency() : teams_for(p.n)),
        scratch("gable::sums before", static_cast<std::size_t>(parts)) {}

  void run(const Exec& exec) const {
    if constexpr (on_host) {
      Kokkos::parallel_for("gable::scan", ThreadPolicy(exec, 0, parts), ScanTiles<T>{x, y, n, parts, scratch.data()});
    } else {
      using Chunks = ScanChunks<T>;
      const typename Chunks::Policy policy(exec, static_cast<int>(parts), Chunks::threads);
      for (const bool second : {false, true}) {
        Kokkos::parallel_for("gable::scan", policy, Chunks{x, y, scratch.data(), n, parts, second});
      }
    }
  }

 private:
  /// Enough teams to fill the device, each with some blocks.
  static Index teams_for(Index count) {
    constexpr int threads = ScanChunks<T>::threads;
    const Index filling = Exec().concurrency() / threads, useful = count / (4 * pack_size<T> * threads) + 1;
    return filling < useful ? filling : useful;
  }
};

}  // namespace

const OperatorEntry& prefix_sum_entry() { return wide_entry<PrefixSum, PrefixSumKernel>(); }

}  // namespace gable::operators
