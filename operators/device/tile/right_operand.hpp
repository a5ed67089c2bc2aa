#pragma once
#include <Kokkos_Core.hpp>

#include "operators/device/chunk.hpp"
#include "operators/device/tile/host.hpp"
#include "operators/device/tile/workspace.hpp"

namespace gable::device::tile {

/// A block of the right operand of a batch of products, staged once for all threads: panels of Shape<T>::columns
/// columns, each [depth, columns], one after the other, matrix after matrix.
/// The source is B [batch, k, n], or [batch, n, k] where it is Transposed.
template <class T, bool Transposed>
class RightOperand {
 public:
  RightOperand(Index batch, Index k, Index n, Index block_depth, Index block_columns)
      : batch_(batch),
        k_(k),
        n_(n),
        data_(make_workspace<Staged<T>>(
            "gable::tile::right", batch * staged_depth<T>(block_depth) * panels_of(block_columns, width) * width)) {}

  /// Enqueues the staging of rows [row, row + depth) and columns [column, column + columns) of B.
  void stage(const Exec& exec, const T* source, Index row, Index depth, Index column, Index columns) {
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
      return {data + ((matrix * panels + panel) * depth + row) * width};
    }
  };
  Block block() const { return {data_.data(), depth_, panels_}; }

 private:
  static constexpr int width = Shape<T>::columns;

  struct Stage {
    const T* source;
    Staged<T>* target;
    Index total, panels, parts, k, n, row, depth, column, end;
    KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
      const Chunk chunk = chunk_of(total, part, parts, 1);
      for (Index i = chunk.begin; i < chunk.end; ++i) {
        const Index first = column + i % panels * width;
        const int count = static_cast<int>(end - first < width ? end - first : width);
        const T* matrix = source + i / panels * k * n;
        Staged<T>* panel = target + i * staged_depth<T>(depth) * width;
        if constexpr (Transposed) {
          stage_across<width>(panel, matrix + first * k + row, k, count, depth, Staged<T>(1));
        } else {
          stage_along<width>(panel, matrix + row * n + first, n, count, depth, Staged<T>(1));
        }
      }
      commit();
      wait<0>();
    }
  };

  Index batch_, k_, n_;
  Index depth_{}, panels_{};
  Kokkos::View<Staged<T>*, Exec::memory_space> data_;
};

}  // namespace gable::device::tile
