#include "operators/histogram.hpp"

#include <cstdint>
#include <cstring>

#include "operators/device/isa/atomic.hpp"
#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;
using Count = std::int32_t;

/// CPU: every thread counts in tables of its own, two by turns, because the same bin twice in a row waits for its own
/// store. Keys are read in pairs: with a load and a store for each count, loads are what a core has too few of. Then
/// each thread adds up a part of the bins.
inline constexpr int tables = 2;

struct CountChunk {
  const Count* keys;
  Count* own;
  Index n, bins, parts;
  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk chunk = chunk_of(n, part, parts, chunk_grain);
    const Count* const from = keys;
    Count* const even = own + part * tables * bins;
    Count* const odd = even + bins;
    for (Index b = 0; b < tables * bins; ++b) even[b] = 0;
    Index i = chunk.begin;
    for (; i + 4 <= chunk.end; i += 4) {
      std::uint64_t first, second;
      std::memcpy(&first, from + i, sizeof first);
      std::memcpy(&second, from + i + 2, sizeof second);
      ++even[first & 0xffffffffU];
      ++odd[first >> 32];
      ++even[second & 0xffffffffU];
      ++odd[second >> 32];
    }
    for (; i < chunk.end; ++i) ++even[from[i]];
  }
};

struct AddTables {
  const Count* own;
  Count* count;
  Index bins, parts;
  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk chunk = chunk_of(bins, part, parts, chunk_grain);
    for (Index b = chunk.begin; b < chunk.end; ++b) {
      Count total = 0;
      for (Index k = 0; k < parts * tables; ++k) total += own[k * bins + b];
      count[b] = total;
    }
  }
};

/// GPU: a team counts in its scratch memory by atomic additions and adds that to the result; where the bins do not fit,
/// it counts in the result itself.
struct CountByTeams {
  using Policy = Kokkos::TeamPolicy<Exec>;
  static constexpr int threads = 256, most_bins = 8192;
  const Count* keys;
  Count* count;
  Index n, bins;

  KOKKOS_INLINE_FUNCTION void operator()(const Policy::member_type& member) const {
    const ThreadsOfAllTeams all{member.league_rank() * threads + member.team_rank(),
                                Index{member.league_size()} * threads};
    if (bins > most_bins) {
      count_keys(
          all, [&](Count key) __attribute__((always_inline)) { Kokkos::atomic_add(count + key, 1); });
      return;
    }
    auto* const own = static_cast<Count*>(member.team_scratch(0).get_shmem(bins * sizeof(Count)));
    for (Index b = member.team_rank(); b < bins; b += threads) own[b] = 0;
    member.team_barrier();
    count_keys(
        all, [&](Count key) __attribute__((always_inline)) { add_one_in_scratch(own + key); });
    member.team_barrier();
    for (Index b = member.team_rank(); b < bins; b += threads) {
      if (own[b] != 0) Kokkos::atomic_add(count + b, own[b]);
    }
  }

 private:
  struct ThreadsOfAllTeams {
    Index first, all;
    GABLE_FUNCTION Index rank() const { return first; }
    GABLE_FUNCTION Index size() const { return all; }
  };
  /// A thread's share of the keys, by packs, of which it has four under way.
  template <class Add>
  GABLE_FUNCTION void count_keys(const ThreadsOfAllTeams& all, const Add& add) const {
    constexpr int N = pack_size<Count>;
    const Index whole = n / N * N;
    for_row_in_halves<N>(
        all, whole, [&](auto, Index k) __attribute__((always_inline)) { return pack_at<N>(keys + k); },
        [&](auto, Index, const Pack<Count, N>& pack) __attribute__((always_inline)) {
          for (int k = 0; k < N; ++k) add(pack.element[k]);
        });
    for (Index i = whole + all.first; i < n; i += all.all) add(keys[i]);
  }
};

struct Zero {
  Count* count;
  KOKKOS_INLINE_FUNCTION void operator()(Index b) const { count[b] = 0; }
};

/// T: Count; a template, so that only the device's own form is compiled.
template <class T>
struct HistogramKernel : UniformTypes<T> {
  const Count* keys;
  Count* count;
  Index n, bins, parts;
  Kokkos::View<Count*, Exec::memory_space> own;

  HistogramKernel(const Histogram::Params& p, const Buffers& buffers)
      : keys(buffers.input<Count>(0)),
        count(buffers.output<Count>(0)),
        n(p.n),
        bins(p.bins),
        parts(Exec().concurrency()),
        own("gable::own counts", static_cast<std::size_t>(on_host ? parts * tables * bins : 0)) {}

  void run(const Exec& exec) const {
    if constexpr (on_host) {
      const ThreadPolicy policy(exec, 0, parts);
      Kokkos::parallel_for("gable::count", policy, CountChunk{keys, own.data(), n, bins, parts});
      Kokkos::parallel_for("gable::add_counts", policy, AddTables{own.data(), count, bins, parts});
    } else {
      constexpr int threads = CountByTeams::threads;
      const Index filling = parts / threads, useful = (n + 16 * threads - 1) / (16 * threads);
      CountByTeams::Policy policy(exec, static_cast<int>(filling < useful ? filling : useful), threads);
      const Index scratch = bins > CountByTeams::most_bins ? 0 : bins * static_cast<Index>(sizeof(Count)) + 16;
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch)));
      Kokkos::parallel_for("gable::zero", ThreadPolicy(exec, 0, bins), Zero{count});
      Kokkos::parallel_for("gable::count", policy, CountByTeams{keys, count, n, bins});
    }
  }
};

}  // namespace

const OperatorEntry& histogram_entry() { return kernel_entry<Histogram, HistogramKernel<Count>>(); }

}  // namespace gable::operators
