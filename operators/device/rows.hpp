#pragma once
#include <limits>

#include "core/error.hpp"
#include "operators/device/chunk.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/memory.hpp"
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

/// GPU: a team, each of whose threads gets the result of a reduction.
template <class Member>
struct Team {
  const Member& member;
  GABLE_FUNCTION Index rank() const { return member.team_rank(); }
  GABLE_FUNCTION Index size() const { return member.team_size(); }
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

/// Independent accumulators of a reduction over a row: hides the latency of one vector add on a CPU; on a GPU other
/// threads do.
inline constexpr int slots = on_host ? 2 : 1;

/// step(access, k, slot) for the elements [k, k + N) of a row of n that this thread of the group is responsible for. On
/// a GPU n is a multiple of N (TeamRows sees to it), so no step is cut, for which lanes would have to lie in memory.
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
/// finishes these, because a core's window of instructions is too short to overlap long chains by itself.
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
    for (; k + N <= n; k += stride) finish(AnyOrder<N>{}, k, begin(AnyOrder<N>{}, k));
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
/// at pack boundaries and the device needs them to.
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

template <class T, class Body>
struct TeamRows {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  bool packs;
  Body body;
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const Index row = member.league_rank();
    if (packs) {
      body.template row<pack_size<T>>(row, Team<Member>{member}, 0);
    } else {
      body.template row<1>(row, Team<Member>{member}, 0);
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
    const int team = steps >= 256 ? 256 : (steps > 64 ? 128 : 64);
    Kokkos::parallel_for("gable::rows", Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(rows), team),
                         TeamRows<T, Body>{packs, body});
  }
}

}  // namespace gable::device
