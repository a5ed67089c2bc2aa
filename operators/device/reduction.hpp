#pragma once
#include <Kokkos_Core.hpp>

#include "operators/device/elementwise.hpp"
#include "operators/device/rows.hpp"

namespace gable::device {

/// out[0] = sum over i in [0, count) of body(access, i), in one launch and always in the same order: every host thread,
/// or every team of a GPU, leaves one partial sum, and the one that finishes last adds them up in their order. The body
/// reads its operands with access.load(x + i) and returns lanes.
template <class T, class Body>
class Reduction {
  using A = Accumulate<T>;
  static constexpr int team_size = 256;
  using TeamPolicy = Kokkos::TeamPolicy<Exec, TeamBounds<team_size, sizeof(T) == 8>>;
  using Member = typename TeamPolicy::member_type;

 public:
  Reduction(T* out, Index count, const Body& body)
      : out_(out),
        count_(count),
        parts_(on_host ? Exec().concurrency() : teams_for(count)),
        body_(body),
        partials_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "gable::partial sums"),
                  static_cast<std::size_t>(parts_)),
        finished_("gable::parts finished") {}

  /// Enqueues; does not wait. One run at a time.
  void run(const Exec& exec) const {
    if constexpr (on_host) {
      Kokkos::parallel_for("gable::reduction", ThreadPolicy(exec, 0, parts_), *this);
    } else {
      Kokkos::parallel_for("gable::reduction", TeamPolicy(exec, static_cast<int>(parts_), team_size), *this);
    }
  }

  /// Host: a contiguous chunk.
  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk chunk = chunk_of(count_, part, parts_, chunk_grain);
    const Body body = body_;
    LanesOf<T> total[slots];
    for (int s = 0; s < slots; ++s) total[s] = A(0);
    for_row<pack_size<T>>(
        OneThread{}, chunk.end - chunk.begin, [&](auto access, Index k, int s) __attribute__((always_inline)) {
          total[s] += body(access, chunk.begin + k);
        });
    for (int s = 1; s < slots; ++s) total[0] += total[s];
    leave(part, sum(total[0]));
    if (is_last()) finish(OneThread{});
  }

  /// GPU: tiles of packs, team after team. Neighbouring threads read neighbouring packs, and four loads of a thread are
  /// under way at once; the elements that fill no pack go one each to threads of the first team.
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const Team<Member, team_size> group{member};
    const Index packs = count_ / pack_size<T>;
    constexpr Index tile = steps_at_once * team_size;
    const auto at = [&](Index k) __attribute__((always_inline)) {
      return body_(FullPack<pack_size<T>>{}, k * pack_size<T>);
    };
    LanesOf<T> total = A(0);
    Index k = member.league_rank() * tile + group.rank();
    for (; k + tile - team_size < packs; k += parts_ * tile) {
      for (int j = 0; j < steps_at_once; ++j) total += at(k + j * team_size);
    }
    for (; k < packs; k += team_size) total += at(k);  // less than a tile is left, to one team
    A mine = sum(total);
    const Index rest = packs * pack_size<T> + member.league_rank() * team_size + group.rank();
    if (rest < count_) mine += body_(FullPack<1>{}, rest)[0];
    mine = group.sum(mine);
    int last = 0;
    if (group.rank() == 0) {
      leave(member.league_rank(), mine);
      last = is_last() ? 1 : 0;
    }
    member.team_broadcast(last, 0);
    if (last != 0) finish(group);
  }

 private:
  /// Enough teams to fill the device, each with some packs a thread; at most as many as a team adds up at once.
  static Index teams_for(Index count) {
    const Index filling = Exec().concurrency() / team_size, useful = count / (8 * pack_size<T> * team_size) + 1;
    return filling < useful ? filling : useful;
  }
  GABLE_FUNCTION void leave(Index part, A value) const {
    partials_(static_cast<std::size_t>(part)) = value;
    Kokkos::memory_fence();
  }
  GABLE_FUNCTION bool is_last() const {
    return Kokkos::atomic_fetch_add(&finished_(), 1) == static_cast<int>(parts_) - 1;
  }
  template <class Group>
  GABLE_FUNCTION void finish(const Group& group) const {
    Kokkos::memory_fence();
    A total = 0;
    for (Index k = group.rank(); k < parts_; k += group.size()) total += partials_(static_cast<std::size_t>(k));
    total = group.sum(total);
    if (group.rank() == 0) {
      out_[0] = narrow<T>(total);
      finished_() = 0;
    }
  }

  T* out_;
  Index count_, parts_;
  Body body_;
  Kokkos::View<A*, Exec::memory_space> partials_;
  Kokkos::View<int, Exec::memory_space> finished_;
};

}  // namespace gable::device
