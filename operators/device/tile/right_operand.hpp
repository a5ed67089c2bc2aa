#pragma once
#include <Kokkos_Core.hpp>

#include "operators/device/chunk.hpp"
#include "operators/device/tile/host.hpp"
#include "operators/device/tile/tile.hpp"

namespace gable::device::tile {

/// A block of the right operand of a batch of products, staged once for all threads: panels of Shape<T>::columns
/// columns, each [depth, columns], one after the other, matrix after matrix.
/// The source is B [batch, k, n], or [batch, n, k] where it is Transposed.
template <class T, bool Transposed>
class RightOperand {
  using S = Source<T>;  ///< as it is stored
  static constexpr int width = Shape<T>::columns;
  static constexpr Index rows_ahead = 4;

  /// From a panel to the next, rows: odd, so that neighbouring panels do not meet in the same sets of a cache.
  static GABLE_FUNCTION Index stride_of(Index depth) { return staged_depth<T>(depth) | 1; }

  struct Stage {
    const S* source;
    Staged<T>* target;
    Index total, panels, parts, k, n, row, depth, column, end;
    __attribute__((noinline)) void operator()(Index part) const {
      const Chunk chunk = chunk_of(total, part, parts, 1);
      for (Index i = chunk.begin; i < chunk.end; ++i) {
        const Index first = column + i % panels * width;
        const int count = static_cast<int>(end - first < width ? end - first : width);
        const S* matrix = source + i / panels * k * n;
        Staged<T>* panel = target + i * stride_of(depth) * width;
        if constexpr (Transposed) {
          stage_across<width, T>(panel, matrix + first * k + row, k, count, depth, Accumulate<T>(1));
        } else {
          stage_along<width, T>(panel, matrix + row * n + first, n, count, depth, Accumulate<T>(1));
        }
      }
      commit();
      wait<0>();
    }
  };

 public:
  RightOperand(Index batch, Index k, Index n, Index block_depth, Index block_columns)
      : batch_(batch),
        k_(k),
        n_(n),
        data_(make_workspace<Staged<T>>("gable::tile::right",
                                        batch * stride_of(block_depth) * panels_of(block_columns, width) * width)) {}

  /// Enqueues the staging of rows [row, row + depth) and columns [column, column + columns) of B.
  void stage(const Exec& exec, const S* source, Index row, Index depth, Index column, Index columns) {
    const Index panels = panels_of(columns, width);
    const Index parts = exec.concurrency();
    Kokkos::parallel_for(
        "gable::tile::stage", ThreadPolicy(exec, 0, parts),
        Stage{source, data_.data(), batch_ * panels, panels, parts, k_, n_, row, depth, column, column + columns});
    depth_ = staged_depth<T>(depth);
    panels_ = panels;
  }
  /// What the kernels that run after stage() read.
  struct Block {
    const Staged<T>* data;
    Index depth, panels;  ///< depth in staged values
    /// The panel from its staged row `row` on.
    GABLE_FUNCTION RightPanel<T> panel(Index matrix, Index panel, Index row = 0) const {
      return {data + ((matrix * panels + panel) * (depth | 1) + row) * width};
    }
  };
  Block block() const { return {data_.data(), depth_, panels_}; }

  /// Staging by one thread alone, of one matrix, in a part of the workspace that nobody else uses.
  struct Own {
    const S* source;
    Staged<T>* target;
    Index k, n;
    /// Part `part` of parts of `size` values.
    GABLE_FUNCTION Block stage(Index part, Index size, Index row, Index depth, Index column, Index columns) const {
      const Index panels = panels_of(columns, width);
      Staged<T>* own = target + part * size;
      if constexpr (Transposed) {
        Stage{source, own, panels, panels, 1, k, n, row, depth, column, column + columns}(0);
      } else {
        const Index stride = stride_of(depth) * width;
        constexpr int step = Shape<T>::depth;
        for (Index r = 0; r < depth; r += step) {  // along the rows, as memory likes to be read
          const S* from = source + (row + r) * n + column;
          const Index rows = depth - r < step ? depth - r : step;
          for (Index panel = 0; panel < panels; ++panel, from += width) {
            for (Index i = 0; i < step; ++i) prefetch_read(from + (rows_ahead + i) * n);
            const Index left = columns - panel * width;
            stage_along<width, T>(own + panel * stride + r / step * width, from, n,
                                  static_cast<int>(left < width ? left : width), rows, Accumulate<T>(1));
          }
        }
      }
      return {own, staged_depth<T>(depth), panels};
    }
  };
  Own own(const S* source) const { return {source, data_.data(), k_, n_}; }

 private:
  Index batch_, k_, n_;
  Index depth_{}, panels_{};
  Kokkos::View<Staged<T>*, Exec::memory_space> data_;
};

}  // namespace gable::device::tile
