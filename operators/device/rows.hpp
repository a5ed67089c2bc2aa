#pragma once
#include <limits>
#include <type_traits>

#include "core/error.hpp"
#include "operators/device/chunk.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/pack.hpp"

namespace gable::device {

/// The threads that share one row. Host: one.
struct OneThread {
  GABLE_FUNCTION Index rank() const { return 0; }
  GABLE_FUNCTION Index size() const { return 1; }
  template <class A>
  GABLE_FUNCTION A sum(A value) const {
    return value;
  }
  template <class A>
  GABLE_FUNCTION A maximum(A value) const {
    return value;
  }
};

/// GPU: a team of so many threads, each of which gets the result of a reduction. The number is a constant, so that the
/// addresses of several steps are one register and constant distances: with a register for each, compilers finish a
/// step before they begin on the next.
template <class Member, int threads>
struct Team {
  const Member& member;
  GABLE_FUNCTION Index rank() const { return member.team_rank(); }
  GABLE_FUNCTION constexpr Index size() const { return threads; }
  template <class A>
  GABLE_FUNCTION A sum(A value) const {
    member.team_reduce(Kokkos::Sum<A>(value));
    return value;
  }
  template <class A>
  GABLE_FUNCTION A maximum(A value) const {
    member.team_reduce(Kokkos::Max<A>(value));
    return value;
  }
};

/// Registers for teams that have four loads of 16 bytes and their results in hand. NVIDIA: 64 a thread, 1024 threads a
/// multiprocessor, or 128 and 512 for those that need more; with fewer, which the compiler likes better, it finishes a
/// step before it begins on the next. AMD: the second number is waves for which a SIMD must have room, 4 with 128
/// registers each or 2 with 256. A kernel that takes fewer registers has more waves all the same; none but the
/// quantised gemv takes more than 128.
#if defined(__HIPCC__)
inline constexpr int team_registers = 128;  ///< for those that need no more
template <int threads, bool needs_registers>
using TeamBounds = Kokkos::LaunchBounds<threads, needs_registers ? 2 : 4>;
#else
inline constexpr int team_registers = 64;
template <int threads, bool needs_registers>
using TeamBounds = Kokkos::LaunchBounds<threads, (needs_registers ? 512 : 1024) / threads>;
#endif

/// Independent accumulators of a reduction over a row: hides the latency of one vector add on a CPU; on a GPU other
/// threads do.
inline constexpr int slots = on_host ? 2 : 1;

/// Steps that a GPU thread begins before it finishes the first of them. One access of 16 bytes under way for each of a
/// multiprocessor's 2048 threads is 32 kB, about what its share of memory delivers in the time that an access takes;
/// but threads also compute, wait for one another and end.
inline constexpr int steps_at_once = 4;

/// step(access, k, slot) for the elements [k, k + N) of a row of n that this thread of the group is responsible for. On
/// a GPU n is a multiple of N (TeamRows sees to it), so no step is cut, for which lanes would have to lie in memory;
/// steps that should have several loads under way there fetch (below).
template <int N, class Group, class Step>
GABLE_FUNCTION void for_row(const Group& group, Index n, const Step& step) {
  const Index stride = group.size() * N;
  Index k = group.rank() * N;
  if constexpr (slots == 2) {
    for (; k + stride + N <= n; k += 2 * stride) {
      step(AnyOrder<N>{}, k, 0);
      step(AnyOrder<N>{}, k + stride, 1);
    }
  }
  for (; k + N <= n; k += stride) step(AnyOrder<N>{}, k, 0);
  if constexpr (on_host) {
    if (k < n) step(PartialPack<N>{static_cast<int>(n - k)}, k, 0);
  }
}

/// The same in two halves: finish(access, k, begin(access, k)). A CPU thread begins on the next elements before it
/// finishes these, because a core's window of instructions is too short to overlap long chains by itself; a GPU thread
/// begins four steps before it finishes the first, so begin should do no more than fetch.
template <int N, class Group, class Begin, class Finish>
GABLE_FUNCTION void for_row_in_halves(const Group& group, Index n, const Begin& begin, const Finish& finish) {
  const Index stride = group.size() * N;
  Index k = group.rank() * N;
  if constexpr (on_host) {
    if (k + N <= n) {
      auto begun = begin(AnyOrder<N>{}, k);
      for (k += stride; k + N <= n; k += stride) {
        const auto next = begin(AnyOrder<N>{}, k);
        finish(AnyOrder<N>{}, k - stride, begun);
        begun = next;
      }
      finish(AnyOrder<N>{}, k - stride, begun);
    }
    if (k < n) {
      const PartialPack<N> rest{static_cast<int>(n - k)};
      finish(rest, k, begin(rest, k));
    }
  } else {
    static_assert(steps_at_once == 4);  // written out, because long steps are not unrolled
    for (; k + (steps_at_once - 1) * stride + N <= n; k += steps_at_once * stride) {
      const Index k1 = k + stride, k2 = k1 + stride, k3 = k2 + stride;
      const auto first = begin(AnyOrder<N>{}, k), second = begin(AnyOrder<N>{}, k1);
      const auto third = begin(AnyOrder<N>{}, k2), fourth = begin(AnyOrder<N>{}, k3);
      finish(AnyOrder<N>{}, k, first);
      finish(AnyOrder<N>{}, k1, second);
      finish(AnyOrder<N>{}, k2, third);
      finish(AnyOrder<N>{}, k3, fourth);
    }
    if (k + N <= n) {  // at most three are left
      const bool has_second = k + stride + N <= n, has_third = k + 2 * stride + N <= n;
      const Index k1 = has_second ? k + stride : k, k2 = has_third ? k + 2 * stride : k;
      const auto first = begin(AnyOrder<N>{}, k), second = begin(AnyOrder<N>{}, k1), third = begin(AnyOrder<N>{}, k2);
      finish(AnyOrder<N>{}, k, first);
      if (has_second) finish(AnyOrder<N>{}, k1, second);
      if (has_third) finish(AnyOrder<N>{}, k2, third);
    }
  }
}

/// step(access, k, fetch(access, k), slot) as for_row: a GPU thread fetches for four steps before it waits for the
/// first, even where steps store, ahead of which no compiler moves a load that might read what is stored.
template <int N, class Group, class Fetch, class Step>
GABLE_FUNCTION void for_row(const Group& group, Index n, const Fetch& fetch, const Step& step) {
  if constexpr (on_host) {
    for_row<N>(
        group, n, [&](auto access, Index k, int slot) __attribute__((always_inline)) {
          step(access, k, fetch(access, k), slot);
        });
  } else {
    for_row_in_halves<N>(
        group, n, fetch, [&](auto access, Index k, const auto& fetched) __attribute__((always_inline)) {
          step(access, k, fetched, 0);
        });
  }
}

/// How many elements ahead a CPU thread asks for what it will read and write: a row, so that memory delivers the next
/// row while the core computes this one; 0 (the current line) if two rows do not fit the caches.
template <class T>
GABLE_FUNCTION Index row_ahead(Index columns) {
  return columns * Index{sizeof(T)} <= 64 * 1024 ? columns : 0;
}

/// Runs body.template row<N>(row, group, thread) for every row: on a CPU each thread walks a contiguous chunk of rows,
/// rows_at_once of them by row<N, rows_at_once> where the body has that constant, or those that pairs(first, end) takes
/// where it has that function; on a GPU a team takes a row. N is 1 where rows of `columns` elements of T do not start
/// at pack boundaries and the device needs them to. A body whose rows need many registers of a GPU says so by a
/// constant needs_registers; those of fp64, whose functions do, always get them.
template <class T, class Body>
struct ThreadRows {
  Index rows, parts;
  Body body;
  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk chunk = chunk_of(rows, part, parts, 1);
    const Body local = body;
    Index row = chunk.begin;
    if constexpr (requires { Body::rows_at_once; }) {
      constexpr int many = Body::rows_at_once;
      for (; row + many <= chunk.end; row += many) {
        local.template row<pack_size<T>, many>(row, OneThread{}, part);
      }
    }
    if constexpr (requires { local.pairs(row, chunk.end); }) row = local.pairs(row, chunk.end);
    for (; row < chunk.end; ++row) local.template row<pack_size<T>>(row, OneThread{}, part);
  }
};

template <class T, int threads, class Body>
struct TeamRows {
  static constexpr bool many_registers() {
    if constexpr (requires { Body::needs_registers; })
      return Body::needs_registers || sizeof(T) == 8;
    else
      return sizeof(T) == 8;
  }
  using Policy = Kokkos::TeamPolicy<Exec, TeamBounds<threads, many_registers()>>;
  using Member = typename Policy::member_type;
  bool packs;
  Body body;
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const Index row = member.league_rank();
    if (packs) {
      body.template row<pack_size<T>>(row, Team<Member, threads>{member}, 0);
    } else {
      body.template row<1>(row, Team<Member, threads>{member}, 0);
    }
  }
};

template <class T, class Body>
void for_rows(const Exec& exec, Index rows, Index columns, const Body& body) {
  if constexpr (on_host) {
    const Index parts = exec.concurrency();
    Kokkos::parallel_for("gable::rows", ThreadPolicy(exec, 0, parts), ThreadRows<T, Body>{rows, parts, body});
  } else {
    if (rows > std::numeric_limits<int>::max()) throw Error("more than 2^31 - 1 rows: a launch has no more teams");
    const bool packs = columns % pack_size<T> == 0;
    const Index steps = packs ? columns / pack_size<T> : columns;
    const auto launch = [&](auto team) {
      using Rows = TeamRows<T, decltype(team)::value, Body>;
      Kokkos::parallel_for("gable::rows", typename Rows::Policy(exec, static_cast<int>(rows), team.value),
                           Rows{packs, body});
    };
    constexpr int many = 256, few = 64;
    if (steps >= many * steps_at_once) {
      launch(std::integral_constant<int, many>{});
    } else {
      launch(std::integral_constant<int, few>{});
    }
  }
}

/// Base of kernels that are one such walk.
template <class T, class Body>
struct RowKernel {
  Index rows, columns;
  Body body;
  void run(const Exec& exec) const { for_rows<T>(exec, rows, columns, body); }
};

}  // namespace gable::device
