#include "operators/prefix_sum.hpp"

#include <algorithm>
#include <utility>

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/launch.hpp"
#endif

namespace gable::operators {
namespace {

using namespace gable::device;

#if !defined(GABLE_ARRAY_LANES)
/// Inclusive sums over the lanes of one register, and from one register to the next.
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
    constexpr int pack = pack_size<T>;
    typename LanesOf<T>::Part running = LanesOf<T>(before).part[0];
    for (; k + pack <= count; k += pack) {
      prefetch_read(source + parts * tile + k);
      store<pack>(target + k, inclusive(load<pack>(source + k), running));
    }
    before = running[0];
    for (; k < count; ++k) target[k] = narrow<T>(before += widen(source[k]));
  }
};

template <class T>
struct PrefixSumKernel : UniformTypes<T> {
  const T* x;
  T* y;
  Index n, parts;
  Kokkos::View<Handover<Accumulate<T>>*, Exec::memory_space> handovers;

  PrefixSumKernel(const PrefixSum::Params& p, const Buffers& buffers)
      : x(buffers.input<T>(0)),
        y(buffers.output<T>(0)),
        n(p.n),
        parts(Exec().concurrency()),
        handovers("gable::sums before", static_cast<std::size_t>(parts)) {}
  void run(const Exec& exec) const {
    Kokkos::parallel_for("gable::scan", ThreadPolicy(exec, 0, parts), ScanTiles<T>{x, y, n, parts, handovers.data()});
  }
};
#else
/// GPU: each team sums a contiguous chunk of blocks; in a second launch it adds up the sums before its own and scans.
/// Parts of x short enough to be in a cache for the second launch take longer: the device is never full of them.
template <class T, bool second>
struct ScanChunks {
  using A = Accumulate<T>;
  static constexpr int threads = 256, packs = 4, lanes = tile::Machine::Form::lanes, warps = threads / lanes;
  static constexpr int block = threads * packs * pack_size<T>;
  static constexpr int scratch_bytes = (packs * warps + 1) * static_cast<int>(sizeof(A));
  using Policy = Kokkos::TeamPolicy<Exec, TeamBounds<threads, sizeof(T) == 8>>;
  using Member = typename Policy::member_type;
  const T* x;
  T* y;
  A* sums;  ///< [teams]
  Index n, teams;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    if (n % pack_size<T> == 0) {
      chunk<pack_size<T>>(member, member.league_rank());
    } else {
      chunk<1>(member, member.league_rank());
    }
  }

 private:
  template <int N>
  GABLE_FUNCTION void chunk(const Member& member, Index team) const {
    const Team<Member, threads> group{member};
    const Chunk own = chunk_of(n, team, teams, block);
    A total = 0;
    if constexpr (second) {
      A* const of_warps = static_cast<A*>(member.team_scratch(0).get_shmem(packs * warps * sizeof(A)));
      for (Index k = group.rank(); k < team; k += threads) total += sums[k];
      total = group.sum(total);
      for (Index i = own.begin; i < own.end; i += threads * packs * N) {
        total = scan_block<N>(member, of_warps, i, own.end, total);
      }
    } else {
      const T* const source = x + own.begin;
      for_row<N>(
          group, own.end - own.begin,
          [&](auto access, Index k) __attribute__((always_inline)) { return access.fetch(source + k); },
          [&](auto, Index, const Fetched<T, N>& fetched, int)
              __attribute__((always_inline)) { total += sum(lanes_of(fetched)); });
      total = group.sum(total);
      if (group.rank() == 0) sums[team] = total;
    }
  }
  /// Returns the sum of all up to the end of the block. of_warps: [packs, warps].
  template <int N>
  GABLE_FUNCTION A scan_block(const Member& member, A* of_warps, Index begin, Index end, A sum) const {
    const int rank = member.team_rank(), lane = rank % lanes, warp = rank / lanes;
    LanesOf<T, N> values[packs];
    for (int p = 0; p < packs; ++p) {
      const Index i = begin + (p * threads + rank) * N;
      values[p] = A(0);
      if (i < end) values[p] = load<N>(x + i);
    }
    A within[packs], total[packs];  // of the lanes before this one, and of all that have exchanged theirs
    for (int p = 0; p < packs; ++p) {
      for (int k = 1; k < N; ++k) values[p].set(k, values[p][k] + values[p][k - 1]);
      within[p] = 0;
      total[p] = values[p][N - 1];
    }
    for (int mask = 1; mask < lanes; mask *= 2) {
      for (int p = 0; p < packs; ++p) {
        const A other = tile::Machine::exchange(total[p], mask);
        if ((lane & mask) != 0) within[p] += other;
        total[p] += other;
      }
    }
    member.team_barrier();  // the block before has been read
    for (int p = 0; p < packs; ++p) {
      if (lane == 0) of_warps[p * warps + warp] = total[p];
    }
    member.team_barrier();
    for (int p = 0; p < packs; ++p) {
      A mine = 0;
      for (int w = 0; w < warps; ++w) {
        if (w == warp) mine = sum + within[p];
        sum += of_warps[p * warps + w];
      }
      const Index i = begin + (p * threads + rank) * N;
      if (i < end) store<N>(y + i, values[p] + LanesOf<T, N>(mine));
    }
    return sum;
  }
};

template <class T>
class PrefixSumKernel : public UniformTypes<T> {
 public:
  PrefixSumKernel(const PrefixSum::Params& p, const Buffers& buffers)
      : x_(buffers.input<T>(0)),
        y_(buffers.output<T>(0)),
        n_(p.n),
        teams_(std::min<Index>(Exec().concurrency() / (2 * Scan::threads), p.n / Scan::block + 1)),
        sums_("gable::sums of chunks", static_cast<std::size_t>(teams_)) {}
  void run(const Exec& exec) const {
    launch<false>(exec);
    launch<true>(exec);
  }

 private:
  using Scan = ScanChunks<T, true>;

  template <bool second>
  void launch(const Exec& exec) const {
    typename ScanChunks<T, second>::Policy policy(exec, static_cast<int>(teams_), Scan::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(Scan::scratch_bytes));
    Kokkos::parallel_for("gable::scan", policy, ScanChunks<T, second>{x_, y_, sums_.data(), n_, teams_});
  }

  const T* x_;
  T* y_;
  Index n_, teams_;
  Kokkos::View<Accumulate<T>*, Exec::memory_space> sums_;
};
#endif

}  // namespace

const OperatorEntry& prefix_sum_entry() { return wide_entry<PrefixSum, PrefixSumKernel>(); }

}  // namespace gable::operators
