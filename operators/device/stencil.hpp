#pragma once
#include <Kokkos_Core.hpp>
#include <utility>

#include "operators/device/chunk.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/plane_sums.hpp"
#include "operators/device/stencil_march.hpp"
#include "operators/stencil.hpp"

namespace gable::device {

using operators::GridSize;

/// step(access, x) for the packs that cover [0, n): where n is no multiple of a pack the last one begins early and some
/// points are done twice, which is cheaper than a part of a pack. For steps that do not read what they write.
template <class T, class Step>
GABLE_FUNCTION void for_packs(Index n, const Step& step) {
  constexpr int pack = pack_size<T>;
  Index x = 0;
  for (; x + pack <= n; x += pack) step(FullPack<pack>{}, x);
  if (x == n) return;
  if (n >= pack) return step(FullPack<pack>{}, n - pack);
  step(PartialPack<pack>{static_cast<int>(n - x)}, x);
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

#if !defined(GABLE_ARRAY_LANES)
/// Elements [first, first + N) of two registers that follow one another in memory.
template <int first, class A, int N, int... i>
GABLE_FUNCTION Lanes<A, N> across(const Lanes<A, N>& low, const Lanes<A, N>& high, std::integer_sequence<int, i...>) {
  static_assert(Lanes<A, N>::parts == 1);
  Lanes<A, N> lanes;
  lanes.part[0] = __builtin_shufflevector(low.part[0], high.part[0], (first + i)...);
  return lanes;
}
/// What lies one element before `here`, and one after it.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> one_before(const Lanes<A, N>& before, const Lanes<A, N>& here) {
  return across<N - 1>(before, here, std::make_integer_sequence<int, N>{});
}
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> one_after(const Lanes<A, N>& here, const Lanes<A, N>& after) {
  return across<1>(here, after, std::make_integer_sequence<int, N>{});
}
#endif

/// What later rows will read and write, which is not in a cache yet: prefetched line by line while rows are made. With
/// much arithmetic in the formula the core's window of instructions is full before it reaches the next missing line.
template <class T>
struct Ahead {
  const T* read;
  const T* write;
  GABLE_FUNCTION void ask(Index x) const {
    prefetch_read(read + x);
    prefetch_write(write + x);
  }
};

/// v = formula of u in the interior of a grid, v = u on its boundary. A CPU thread takes a contiguous share of the
/// rows in blocks of y that keep three planes of the block in its L2, so that u comes from memory once; GPUs march
/// (stencil_march.hpp). A formula with make_rows<rows>() of its own makes the CPU's rows by that instead of
/// stencil_row(), rows_at_once of them.
template <class T, class Formula>
class StencilSweep {
 public:
  StencilSweep(const T* u, T* v, const GridSize& grid, const Formula& formula)
      : u_(u), v_(v), grid_(grid), row_(grid.nx), plane_(grid.nx * grid.ny), formula_(formula) {}

  void run(const Exec& exec) const {
    if constexpr (on_host) {
      StencilSweep kernel = *this;
      kernel.parts_ = exec.concurrency();
      Kokkos::parallel_for("gable::stencil", ThreadPolicy(exec, 0, kernel.parts_), kernel);
    } else {
      if (grid_.nx % pack_size<T> == 0) {
        StencilMarch<T, Formula, pack_size<T>>(u_, v_, grid_).run(exec);
      } else {
        StencilMarch<T, Formula, 1>(u_, v_, grid_).run(exec);
      }
    }
  }

  /// One thread's share.
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
        rows_of_plane(z, begin, end, y);
      }
    }
  }

 private:
  static constexpr Index layer_bytes = 256 * 1024;  ///< half of the smallest L2 of today's server cores
  static constexpr Index least_rows = 8;            ///< so that a block reads few more rows than it writes
  static constexpr Index ahead_bytes = 8 * 1024;    ///< more than arrives in the latency of a memory under load
  static constexpr Index rows_at_once = [] {
    if constexpr (requires { Formula::rows_at_once; }) return Formula::rows_at_once;
    return 1;
  }();

  /// Rows [begin, end) of plane z, of a block of rows.
  GABLE_FUNCTION void rows_of_plane(Index z, Index begin, Index end, const Chunk& block) const {
    Index y = begin;
    if (z > 0 && z + 1 < grid_.nz) {
      const Index last = end < grid_.ny ? end : grid_.ny - 1;
      if (y == 0) copy_row(z, y++);
      for (; y + rows_at_once <= last; y += rows_at_once) inner_rows<rows_at_once>(z, y, block);
      for (; y < last; ++y) inner_rows<1>(z, y, block);
    }
    for (; y < end; ++y) copy_row(z, y);
  }
  GABLE_FUNCTION void copy_row(Index z, Index y) const {
    const Index i = z * plane_ + y * row_;
    for (Index x = 0; x < grid_.nx; ++x) v_[i + x] = u_[i + x];
  }
  /// Whole rows, which begin at whole lines: the ends, made of their neighbours in the rows beside, are set after.
  template <int rows>
  GABLE_FUNCTION void inner_rows(Index z, Index y, const Chunk& block) const {
    const Index i = z * plane_ + y * row_;
    const T* const from = u_ + i;
    T* const to = v_ + i;
    const Index n = grid_.nx;
    const Formula formula = formula_;
    if constexpr (requires { Formula::rows_at_once; }) {
      formula.template make_rows<rows>(to, from - plane_, from, from + plane_, row_, n, ahead_of(z, y, block));
    } else {
      stencil_row(to, from - plane_, from, from + plane_, row_, n, formula);
    }
    for (Index k = 0; k < rows; ++k) {
      to[k * row_] = from[k * row_];
      to[k * row_ + n - 1] = from[k * row_ + n - 1];
    }
  }
  /// Of the plane above, row y + 1 is the first that earlier rows have not read.
  GABLE_FUNCTION Ahead<T> ahead_of(Index z, Index y, const Chunk& block) const {
    y += ahead_bytes / (row_ * Index{sizeof(T)}) + 1;
    if (y >= block.end) {
      y -= block.end - block.begin;
      ++z;
    }
    const Index i = z * plane_ + y * row_;
    return {u_ + i + plane_ + row_, v_ + i};
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
  template <class V>
  static GABLE_FUNCTION V own(const PlaneSums<V>& sums) {
    return A(operators::Weights7::centre) * sums.centre + A(operators::Weights7::face) * sums.edges;
  }
  template <class V>
  static GABLE_FUNCTION V beside(const PlaneSums<V>& sums) {
    return A(operators::Weights7::face) * sums.centre;
  }
};

}  // namespace gable::device
