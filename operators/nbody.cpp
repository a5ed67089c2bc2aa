#include "operators/nbody.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/lanes.hpp"
#include "operators/device/operator_kit.hpp"
#include "operators/device/pack.hpp"

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

/// GPU: a team loads as many bodies as it has threads into scratch, time after time, and parts them among its warps. A
/// thread lets those of its part pull at two bodies; at last the parts' sums are added. What is missing in the last
/// load has no mass.
template <class T>
struct TeamBodies {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Body = Pack<T, 4>;  ///< x, y, z, m
  static constexpr int team = 256, each = 2, parts = 8, across = team / parts, taken = across * each;
  static constexpr int scratch_elements = parts * 3 * taken;
  static_assert(scratch_elements >= 4 * team && 3 * taken <= team);
  Bodies<T> bodies;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    T* const scratch =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(scratch_elements * sizeof(T), alignof(Body)));
    Body* const tile = reinterpret_cast<Body*>(scratch);
    const int rank = member.team_rank(), part = rank / across, place = rank % across;
    const Index first_taken = Index{member.league_rank()} * taken;
    Pulled<T, 1> pulled[each];
    for (int k = 0; k < each; ++k) {
      const Index i = first_taken + k * across + place;
      pulled[k] = bodies.template begin<1>(FullPack<1>{}, i < bodies.n ? i : 0);
    }
    for (Index first = 0; first < bodies.n; first += team) {
      const Index j = first + rank;
      tile[rank] = j < bodies.n ? Body{{bodies.x[j], bodies.y[j], bodies.z[j], bodies.m[j]}} : Body{};
      member.team_barrier();
#if defined(GABLE_ARRAY_LANES)
#pragma unroll 4
#endif
      for (int t = 0; t < across; ++t) {
        const Body body = tile[part * across + t];
        for (auto& one : pulled) one.pull(body.element[0], body.element[1], body.element[2], body.element[3]);
      }
      member.team_barrier();
    }
    for (int k = 0; k < each; ++k) {
      T* const sums = scratch + part * 3 * taken + k * across + place;  // [parts, 3, taken]
      sums[0] = pulled[k].ax[0];
      sums[taken] = pulled[k].ay[0];
      sums[2 * taken] = pulled[k].az[0];
    }
    member.team_barrier();
    const int axis = rank / taken;
    const Index i = first_taken + rank % taken;
    if (axis >= 3 || i >= bodies.n) return;
    T sum = 0;
    for (int p = 0; p < parts; ++p) sum += scratch[p * 3 * taken + rank];
    (axis == 0 ? bodies.ax : axis == 1 ? bodies.ay : bodies.az)[i] = sum;
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
      using Team = TeamBodies<T>;
      constexpr int scratch_bytes = Team::scratch_elements * sizeof(T) + alignof(typename Team::Body);
      const auto teams = static_cast<int>((bodies.n + Team::taken - 1) / Team::taken);
      const auto policy =
          Kokkos::TeamPolicy<Exec>(exec, teams, Team::team).set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
      Kokkos::parallel_for("gable::nbody", policy, Team{bodies});
    }
  }
};

}  // namespace

const OperatorEntry& nbody_entry() { return wide_entry<Nbody, NbodyKernel>(); }

}  // namespace gable::operators
