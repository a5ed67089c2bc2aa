#pragma once
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
inline constexpr int slots = on_host ? 4 : 1;

/// step(access, k, slot) for the elements [k, k + N) of a row of n that this thread of the group is responsible for.
template <int N, class Group, class Step>
GABLE_FUNCTION void for_row(const Group& group, Index n, const Step& step) {
  const Index stride = group.size() * N;
  Index k = group.rank() * N;
  if constexpr (slots == 4) {
    for (; k + 3 * stride + N <= n; k += 4 * stride) {
      step(Whole<N>{}, k, 0);
      step(Whole<N>{}, k + stride, 1);
      step(Whole<N>{}, k + 2 * stride, 2);
      step(Whole<N>{}, k + 3 * stride, 3);
    }
  }
  for (; k + N <= n; k += stride) step(Whole<N>{}, k, 0);
  if (k < n) step(Some<N>{static_cast<int>(n - k)}, k, 0);
}

/// Runs body.template row<N>(row, group, thread) for every row: on a CPU each thread walks a contiguous chunk of rows,
/// on a GPU a team takes a row. N is 1 where rows of `columns` elements of T do not start at pack boundaries and the
/// device needs them to.
template <class T, class Body>
struct ThreadRows {
  Index rows, parts;
  Body body;
  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk chunk = chunk_of(rows, part, parts, 1);
    const Body local = body;
    for (Index row = chunk.begin; row < chunk.end; ++row) local.template row<pack_size<T>>(row, OneThread{}, part);
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
    const bool packs = columns % pack_size<T> == 0;
    const Index steps = packs ? columns / pack_size<T> : columns;
    const int team = steps >= 256 ? 256 : (steps > 64 ? 128 : 64);
    Kokkos::parallel_for("gable::rows", Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(rows), team),
                         TeamRows<T, Body>{packs, body});
  }
}

}  // namespace gable::device
