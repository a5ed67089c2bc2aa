#pragma once
#include <Kokkos_Core.hpp>

#include "operators/device/chunk.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/stencil.hpp"

namespace gable::device {

using operators::GridSize;

/// What a plane adds to the points of a pack, in it or in the planes above and below: the points themselves, and the
/// sums of their four neighbours across edges and of the four across corners of the plane.
template <class V>
struct PlaneSums {
  V centre, edges, corners;
};

template <class Access, class T>
GABLE_FUNCTION auto plane_sums(Access access, const T* at, Index row) {
  const auto pair = [&](Index offset) { return access.load(at + offset - 1) + access.load(at + offset + 1); };
  const auto centre = access.load(at);
  return PlaneSums<decltype(access.load(at))>{centre, pair(0) + (access.load(at - row) + access.load(at + row)),
                                              pair(-row) + pair(row)};
}

/// step(access, x) for the packs that cover [0, n): where n is no multiple of a pack the last one begins early and some
/// points are done twice, which is cheaper than a part of a pack. For steps that do not read what they write.
template <class T, class Step>
GABLE_FUNCTION void for_packs(Index n, const Step& step) {
  constexpr int pack = pack_size<T>;
  Index x = 0;
  for (; x + pack <= n; x += pack) step(Whole<pack>{}, x);
  if (x == n) return;
  if (n >= pack) return step(Whole<pack>{}, n - pack);
  step(Some<pack>{static_cast<int>(n - x)}, x);
}

/// One row of a stencil: out[x] for x in [0, n), from the same row of three planes whose rows are `row` elements apart.
/// formula(below, here, above) takes PlaneSums. Reads a point beyond both ends of each row; out must not overlap them.
template <class T, class Formula>
GABLE_FUNCTION void stencil_row(T* out, const T* below, const T* here, const T* above, Index row, Index n,
                                const Formula& formula) {
  for_packs<T>(
      n, [&](auto access, Index x) __attribute__((always_inline)) {
        access.store(out + x, formula(plane_sums(access, below + x, row), plane_sums(access, here + x, row),
                                      plane_sums(access, above + x, row)));
      });
}

/// v = formula of u in the interior of a grid, v = u on its boundary. A CPU thread takes a contiguous share of the
/// rows in blocks of y that keep three planes of the block in its L2, so that u comes from memory once; a GPU thread
/// takes a column of `depth` points along z, whose plane sums it keeps in registers, next to those of its neighbours
/// along x. A formula with a host_row() of its own makes the CPU's rows by that instead of stencil_row().
template <class T, class Formula>
class StencilSweep {
 public:
  StencilSweep(const T* u, T* v, const GridSize& grid, const Formula& formula)
      : u_(u), v_(v), grid_(grid), row_(grid.nx), plane_(grid.nx * grid.ny), formula_(formula) {}

  void run(const Exec& exec) const {
    StencilSweep kernel = *this;
    if constexpr (on_host) {
      kernel.parts_ = exec.concurrency();
      Kokkos::parallel_for("gable::stencil", ThreadPolicy(exec, 0, kernel.parts_), kernel);
    } else {
      using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                           Kokkos::IndexType<Index>>;
      Kokkos::parallel_for("gable::stencil",
                           Policy(exec, {0, 0, 0}, {grid_.nx, grid_.ny, (grid_.nz + depth - 1) / depth}, {64, 4, 1}),
                           kernel);
    }
  }

  /// Host: one thread's share.
  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk rows = chunk_of(grid_.ny * grid_.nz, part, parts_, 1);
    if (rows.begin == rows.end) return;
    const Index fitting = layer_bytes / (3 * grid_.nx * Index{sizeof(T)});
    const Index most = fitting < least_rows ? least_rows : fitting;
    const Index blocks = (grid_.ny + most - 1) / most;
    for (Index block = 0; block < blocks; ++block) {
      const Chunk y = chunk_of(grid_.ny, block, blocks, 1);
      for (Index z = rows.begin / grid_.ny; z * grid_.ny < rows.end; ++z) {
        const Index first = z * grid_.ny;
        const Index begin = rows.begin - first > y.begin ? rows.begin - first : y.begin;
        const Index end = rows.end - first < y.end ? rows.end - first : y.end;
        for (Index i = begin; i < end; ++i) row(i, z);
      }
    }
  }

  /// GPU: one column.
  KOKKOS_INLINE_FUNCTION void operator()(Index x, Index y, Index slab) const {
    const Index begin = slab * depth;
    const Index end = begin + depth < grid_.nz ? begin + depth : grid_.nz;
    const Index i = y * row_ + x;
    const bool inside = x > 0 && x + 1 < grid_.nx && y > 0 && y + 1 < grid_.ny;
    if (!inside) {
      for (Index z = begin; z < end; ++z) v_[z * plane_ + i] = u_[z * plane_ + i];
      return;
    }
    const Whole<1> access;
    auto here = plane_sums(access, u_ + begin * plane_ + i, row_);
    auto below = begin > 0 ? plane_sums(access, u_ + (begin - 1) * plane_ + i, row_) : here;
    for (Index z = begin; z < end; ++z) {
      const bool last = z + 1 == grid_.nz;
      const auto above = last ? here : plane_sums(access, u_ + (z + 1) * plane_ + i, row_);
      access.store(v_ + z * plane_ + i, z == 0 || last ? here.centre : formula_(below, here, above));
      below = here;
      here = above;
    }
  }

 private:
  static constexpr Index depth = 16;
  static constexpr Index layer_bytes = 256 * 1024;  ///< half of the smallest L2 of today's server cores
  static constexpr Index least_rows = 8;            ///< so that a block reads few more rows than it writes

  GABLE_FUNCTION void row(Index y, Index z) const {
    const T* const from = u_ + z * plane_ + y * row_;
    T* const to = v_ + z * plane_ + y * row_;
    const Index n = grid_.nx;
    if (y == 0 || y + 1 == grid_.ny || z == 0 || z + 1 == grid_.nz) {
      for (Index x = 0; x < n; ++x) to[x] = from[x];
      return;
    }
    // Whole rows, which begin at whole lines: the ends, made of their neighbours in the rows beside, are set after.
    const Formula formula = formula_;
    if constexpr (requires { formula.host_row(to, from, from, from, row_, n); }) {
      formula.host_row(to, from - plane_, from, from + plane_, row_, n);
    } else {
      stencil_row(to, from - plane_, from, from + plane_, row_, n, formula);
    }
    to[0] = from[0];
    to[n - 1] = from[n - 1];
  }

  const T* u_;
  T* v_;
  GridSize grid_;
  Index row_, plane_;
  Index parts_{};
  Formula formula_;
};

/// operators::stencil7_at over lanes.
template <class A>
struct Formula7 {
  template <class V>
  GABLE_FUNCTION V operator()(const PlaneSums<V>& below, const PlaneSums<V>& here, const PlaneSums<V>& above) const {
    using operators::Weights7;
    return A(Weights7::centre) * here.centre + A(Weights7::face) * (here.edges + (below.centre + above.centre));
  }
};

}  // namespace gable::device
