#include "operators/nbody.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/lanes.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Bodies in a thread's lanes, and what pulls at them.
template <class A, int N>
struct Pulled {
  using V = Lanes<A, N>;
  V x, y, z;
  V ax = A(0), ay = A(0), az = A(0);

  GABLE_FUNCTION void pull(A xj, A yj, A zj, A mj) {
    const V dx = xj - x, dy = yj - y, dz = zj - z;
    const V inverse = inverse_root(A(Nbody::softening) + dx * dx + dy * dy + dz * dz);
    const V factor = mj * inverse * (inverse * inverse);
    ax += factor * dx;
    ay += factor * dy;
    az += factor * dz;
  }
};

template <class T>
struct Bodies {
  const T *x, *y, *z, *m;
  T *ax, *ay, *az;
  Index n;

  template <int N, class Access>
  GABLE_FUNCTION Pulled<T, N> begin(Access access, Index i) const {
    return {access.load(x + i), access.load(y + i), access.load(z + i)};
  }
  template <int N, class Access>
  GABLE_FUNCTION void finish(Access access, Index i, const Pulled<T, N>& pulled) const {
    access.store(ax + i, pulled.ax);
    access.store(ay + i, pulled.ay);
    access.store(az + i, pulled.az);
  }
};

/// Host: a thread takes a share of the bodies, a pack at a time, and lets all pull at it.
template <class T>
struct PackBodies {
  Bodies<T> bodies;
  Index parts;

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    constexpr Index pack = pack_size<T>;
    const Chunk chunk = chunk_of(bodies.n, part, parts, pack);
    Index i = chunk.begin;
    for (; i + pack <= chunk.end; i += pack) some(FullPack<pack>{}, i);
    if (i < chunk.end) some(PartialPack<pack>{static_cast<int>(chunk.end - i)}, i);
  }

 private:
  template <class Access>
  GABLE_FUNCTION void some(Access access, Index i) const {
    auto pulled = bodies.template begin<pack_size<T>>(access, i);
    for (Index j = 0; j < bodies.n; ++j) pulled.pull(bodies.x[j], bodies.y[j], bodies.z[j], bodies.m[j]);
    bodies.finish(access, i, pulled);
  }
};

/// GPU: a thread takes a body; a team loads as many as it has threads into scratch, and all pull at each of its own.
template <class T>
struct TeamBodies {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int team = 128;
  Bodies<T> bodies;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    T* const tile = static_cast<T*>(member.team_scratch(0).get_shmem(4 * team * sizeof(T)));
    const Index rank = member.team_rank();
    const Index i = Index{member.league_rank()} * team + rank;
    const FullPack<1> access;
    auto pulled = bodies.template begin<1>(access, i < bodies.n ? i : 0);
    for (Index first = 0; first < bodies.n; first += team) {
      const Index left = bodies.n - first;
      const int count = left < team ? static_cast<int>(left) : team;
      if (rank < count) {
        tile[rank] = bodies.x[first + rank];
        tile[team + rank] = bodies.y[first + rank];
        tile[2 * team + rank] = bodies.z[first + rank];
        tile[3 * team + rank] = bodies.m[first + rank];
      }
      member.team_barrier();
      for (int j = 0; j < count; ++j) {
        pulled.pull(tile[j], tile[team + j], tile[2 * team + j], tile[3 * team + j]);
      }
      member.team_barrier();
    }
    if (i < bodies.n) bodies.finish(access, i, pulled);
  }
};

template <class T>
struct NbodyKernel : UniformTypes<T> {
  Bodies<T> bodies;

  NbodyKernel(const Nbody::Params& p, const Buffers& buffers)
      : bodies{buffers.input<T>(0),  buffers.input<T>(1),  buffers.input<T>(2),  buffers.input<T>(3),
               buffers.output<T>(0), buffers.output<T>(1), buffers.output<T>(2), p.n} {}
  void run(const Exec& exec) const {
    if constexpr (on_host) {
      const Index parts = exec.concurrency();
      Kokkos::parallel_for("gable::nbody", ThreadPolicy(exec, 0, parts), PackBodies<T>{bodies, parts});
    } else {
      constexpr int team = TeamBodies<T>::team;
      const auto teams = static_cast<int>((bodies.n + team - 1) / team);
      const auto policy = Kokkos::TeamPolicy<Exec>(exec, teams, team)
                              .set_scratch_size(0, Kokkos::PerTeam(4 * team * static_cast<int>(sizeof(T))));
      Kokkos::parallel_for("gable::nbody", policy, TeamBodies<T>{bodies});
    }
  }
};

}  // namespace

const OperatorEntry& nbody_entry() { return wide_entry<Nbody, NbodyKernel>(); }

}  // namespace gable::operators
