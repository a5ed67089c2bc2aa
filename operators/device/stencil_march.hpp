#pragma once
#include <Kokkos_Core.hpp>

#include "operators/device/chunk.hpp"
#include "operators/device/plane_sums.hpp"
#include "operators/grid.hpp"

namespace gable::device {

/// A stencil's sweep on a GPU: a thread takes N neighbouring points of a row and marches with them through `depth`
/// planes. It fetches a plane before it has summed the one below, and keeps of the planes behind it what they give to
/// the two results in hand: Formula::own, a plane's part of its own points, and Formula::beside, its part of those of
/// the planes next to it. A team's rows lie side by side, so that it finds most of its neighbours in the L1. Reads a
/// point beyond both ends of each row.
template <class T, class Formula, int N>
class StencilMarch {
 public:
  static constexpr int wide = 32, high = 8;
  /// NVIDIA: 64 registers a thread, of fp64 80, so that a plane and the next are in hand.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<wide * high, sizeof(T) == 8 ? 3 : 4>>;
  using Member = typename Policy::member_type;

  /// Rows are a multiple of N.
  StencilMarch(const T* u, T* v, const operators::GridSize& grid)
      : u_(u),
        v_(v),
        nx_(static_cast<int>(grid.nx)),
        ny_(static_cast<int>(grid.ny)),
        nz_(static_cast<int>(grid.nz)),
        across_((nx_ / N + wide - 1) / wide),
        along_((ny_ + high - 1) / high) {}

  void run(const Exec& exec) const {
    const int teams = across_ * along_ * ((nz_ + depth - 1) / depth);
    Kokkos::parallel_for("gable::stencil", Policy(exec, teams, wide * high), *this);
  }
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const int thread = member.team_rank(), team = member.league_rank(), rest = team / across_;
    const int x = (team % across_ * wide + thread % wide) * N, y = rest % along_ * high + thread / wide;
    if (x < nx_ && y < ny_) column(x, y, rest / along_ * depth);
  }

 private:
  static constexpr int depth = 16;

  GABLE_FUNCTION void column(int x, int y, int first) const {
    const Index row = nx_, plane = row * ny_;
    const T* from = u_ + y * row + x;
    T* to = v_ + y * row + x;
    const int behind_last = first + depth < nz_ ? first + depth : nz_;
    if (first == 0) copy<N>(from, to);
    if (behind_last == nz_) copy<N>(from + (nz_ - 1) * plane, to + (nz_ - 1) * plane);
    const int begin = first > 0 ? first : 1, end = behind_last < nz_ ? behind_last : nz_ - 1;
    from += (begin - 1) * plane;
    to += begin * plane;
    if (y == 0 || y + 1 == ny_) {
      for (int z = begin; z < end; ++z, to += plane) copy<N>(from += plane, to);
    } else if (begin < end) {
      inside(from, to, row, plane, end - begin, x);
    }
  }
  /// `count` points of a column of packs, from the plane below the first of them.
  GABLE_FUNCTION void inside(const T* from, T* to, Index row, Index plane, int count, int x) const {
    const bool is_first = x == 0, is_last = x + N == nx_;
    using V = Lanes<T, N>;
    const auto own = [&](const PlaneSums<V>& sums, const V& below) {
      V sum = below + Formula::own(sums);
      if (is_first) sum.set(0, sums.centre[0]);
      if (is_last) sum.set(N - 1, sums.centre[N - 1]);
      return sum;
    };
    const auto here = plane_sums(plane_elements<N>(from + plane, row));
    V result = own(here, Formula::beside(plane_sums(plane_elements<N>(from, row))));
    V next = Formula::beside(here);
    from += plane;
    auto fetched = plane_elements<N>(from += plane, row);
#if defined(GABLE_ARRAY_LANES)
#pragma unroll 2  // what was fetched would be moved to other registers, which waits for it
#endif
    for (; count > 0; --count, to += plane) {
      const auto above = fetched;
      if (count > 1) from += plane;
      fetched = plane_elements<N>(from, row);
      const auto sums = plane_sums(above);
      V beside = Formula::beside(sums);
      if (is_first) beside.set(0, 0);
      if (is_last) beside.set(N - 1, 0);
      store<N>(to, result + beside);
      result = own(sums, next);
      next = beside;
    }
  }

  const T* u_;
  T* v_;
  int nx_, ny_, nz_;
  int across_, along_;  ///< teams
};

}  // namespace gable::device
