#pragma once
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <type_traits>

#include "operators/device/elementwise.hpp"
#include "operators/device/tile/epilogue.hpp"
#include "operators/device/tile/right_operand.hpp"
#include "operators/device/tile/size.hpp"

namespace gable::device::tile {

/// Threads in a grid of rows x columns parts that covers m x n with the least sum of sides; rows win a tie, because
/// each column part stages the left operand again.
struct Grid {
  Index rows, columns;
};
inline Grid grid_of(Index threads, Index row_panels, Index column_panels, double panel_aspect) {
  Grid best{threads, 1};
  double least = -1;
  for (Index rows = threads; rows > 0; --rows) {
    if (threads % rows != 0) continue;
    const Grid grid{rows, threads / rows};
    const auto height = static_cast<double>((row_panels + rows - 1) / rows);
    const auto across = static_cast<double>((column_panels + grid.columns - 1) / grid.columns);
    // The tiles of the slowest thread first, then the sides.
    const double cost = height * across * 1e6 + height + across * panel_aspect;
    if (least >= 0 && cost >= least) continue;
    least = cost;
    best = grid;
  }
  return best;
}

/// C = factor A B for a batch of row-major matrices: A [m,k] (TransposedA: [k,m]), B [k,n] (TransposedB: [n,k]), C
/// [m,n]; its elements become what the epilogue makes of them. Blocked as in Goto and van de Geijn, ACM TOMS 34(3),
/// 2008: a cache block of B staged for all threads (last-level cache), a block of A per thread (L2), one panel of B in
/// L1, one tile of C in registers. Storage types narrower than their accumulator keep partial sums in a workspace of
/// the accumulate type. bf16 are multiplied in pairs where the processor has an instruction for that (AVX512_BF16); it
/// adds both products to a sum in fp32 in an order of its own, and takes subnormals for 0 and makes none. There the
/// factor multiplies the sums, and elsewhere A. int8 are multiplied in fours where there is an instruction for that
/// (AVX512_VNNI), and in pairs elsewhere.
template <class T, bool TransposedB, bool TransposedA = false, class Epilogue = AsTheyAre>
class Product {
  using A = Accumulate<T>;
  using Operand = OperandOf<T>;
  static constexpr int rows = Shape<Operand>::rows;
  static constexpr int columns = Shape<Operand>::columns;
  static constexpr int per_value = Shape<Operand>::depth;
  static constexpr bool converts = !std::is_same_v<Result<T>, A>;
  static_assert(!std::is_integral_v<T> || (TransposedB && !TransposedA));
  // Byte sizes of the cache blocks fit caches from 32 KiB, 512 KiB and 8 MiB on. Two registers of 64 bytes and 12 rows
  // take 24 cycles a step on Zen 4, 12 on others, for 128 bytes, which L2 delivers too: there a panel of B need not
  // stay in L1, and it is as deep as makes reading and writing C between blocks of depth cheap (on Zen 4 1024 beside
  // 512: 4 to 7 % at 2048^3).
  static constexpr Index panel_bytes = register_bytes == 64 ? 128 * 1024 : 16 * 1024;
  static constexpr Index left_bytes = 192 * 1024;
  static constexpr Index right_bytes = 4 * 1024 * 1024;
  // Few rows: a thread's cache block of B, which stays in its L2, of so many panels that rows of B are read in long
  // pieces.
  static constexpr Index few_rows = 64;
  static constexpr Index own_panel_bytes = register_bytes == 64 ? 64 * 1024 : 16 * 1024;
  static constexpr Index own_right_bytes = 256 * 1024;

 public:
  Product(const ProductSize& size, const T* a, const T* b, Result<T>* c, A factor, const Epilogue& epilogue = {})
      : size_(size),
        a_(a),
        b_(b),
        c_(c),
        factor_(factor),
        epilogue_(epilogue),
        own_(size.batch == 1 && size.m <= few_rows && panels_of(size.n, columns) >= Exec().concurrency()),
        block_depth_(even_share(staged_depth<Operand>(size.k),
                                std::max<Index>(64, most_panel_bytes(size.batch) / (columns * Index{sizeof(A)})))),
        block_columns_(own_ ? columns_of_blocks(panels_of(size.n, columns) / Exec().concurrency(), own_right_bytes)
                            : std::min(columns_of_blocks(panels_of(size.n, columns), right_bytes), size.n)),
        left_panels_(std::max<Index>(1, left_bytes / (block_depth_ * rows * Index{sizeof(A)}))),
        grid_(own_ ? Grid{1, Exec().concurrency()}
                   : grid_of(Exec().concurrency(), size.batch * panels_of(size.m, rows),
                             panels_of(block_columns_, columns), double(columns) / rows)),
        right_(size.batch, size.k, size.n, block_depth_ * per_value,
               own_ ? grid_.columns * block_columns_ : block_columns_),
        left_(make_workspace<Staged<Operand>>("gable::tile::left",
                                              grid_.rows * grid_.columns * left_panels_ * block_depth_ * rows)) {
    if (converts && block_depth_ * per_value < size.k) {
      sums_ = make_workspace<A>("gable::tile::sums", size.batch * size.m * size.n);
    }
  }

  /// Enqueues.
  void run(const Exec& exec) {
    if (own_) {
      Kokkos::parallel_for("gable::tile::product", ThreadPolicy(exec, 0, grid_.columns),
                           OwnColumns{block_at({}, 0, 0, 0), right_.own(b_), block_depth_, block_columns_});
      return;
    }
    for (Index column = 0; column < size_.n; column += block_columns_) {
      const Index width = std::min(block_columns_, size_.n - column);
      for (Index k = 0; k < size_.k; k += block_depth_ * per_value) {
        const Index depth = std::min(block_depth_ * per_value, size_.k - k);
        right_.stage(exec, b_, k, depth, column, width);
        Kokkos::parallel_for("gable::tile::product", ThreadPolicy(exec, 0, grid_.rows * grid_.columns),
                             block_at(right_.block(), k, depth, column));
      }
    }
  }

 private:
  /// The share of `total` when it is cut evenly into parts of at most `most`.
  static Index even_share(Index total, Index most) {
    const Index parts = (total + most - 1) / most;
    return (total + parts - 1) / parts;
  }
  /// Of a batch every matrix stages one panel at least, and all of them fit the block.
  Index most_panel_bytes(Index batch) const {
    return std::min(own_ ? own_panel_bytes : panel_bytes, right_bytes / std::max<Index>(1, batch));
  }
  /// Columns of whole panels, as many as `bytes` hold of the block's depth, of `panels` cut evenly.
  Index columns_of_blocks(Index panels, Index bytes) const {
    const Index most = bytes / (size_.batch * block_depth_ * columns * Index{sizeof(A)});
    return even_share(panels, std::max<Index>(1, most)) * columns;
  }
  A* sums() const {
    if constexpr (converts) {
      return sums_.data();
    } else {
      return c_;
    }
  }

  /// Adds one cache block of depth to one of columns of C.
  struct Block {
    ProductSize size;
    const T* a;
    Result<T>* c;
    A* sums;
    Staged<Operand>* left;
    typename RightOperand<Operand, TransposedB>::Block right;
    A factor;
    Epilogue epilogue;
    Grid grid;
    Index left_panels, left_stride, k, depth, column;

    KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
      const Index row_panels = panels_of(size.m, rows);
      const Chunk own_rows = chunk_of(size.batch * row_panels, part / grid.columns, grid.rows, 1);
      const Chunk own_columns = chunk_of(right.panels, part % grid.columns, grid.columns, 1);
      if (own_columns.begin >= own_columns.end) return;
      Staged<Operand>* staged = left + part * left_stride;
      for (Index panel = own_rows.begin; panel < own_rows.end;) {
        const Index matrix = panel / row_panels;
        const Index end_of_matrix = (matrix + 1) * row_panels;
        const Index end = end_of_matrix < own_rows.end ? end_of_matrix : own_rows.end;
        const Index blocks = (end - panel + left_panels - 1) / left_panels;
        const Index count = (end - panel + blocks - 1) / blocks;
        stage_left(staged, matrix, panel - matrix * row_panels, count);
        for (Index j = own_columns.begin; j < own_columns.end; ++j) {
          for (Index i = 0; i < count; ++i) {
            tile(matrix, (panel - matrix * row_panels + i) * rows, j, {staged + i * right.depth * rows});
          }
        }
        panel += count;
      }
    }

   private:
    __attribute__((noinline)) void stage_left(Staged<Operand>* staged, Index matrix, Index panel, Index count) const {
      for (Index i = 0; i < count; ++i) {
        const Index row = (panel + i) * rows;
        const int height = static_cast<int>(size.m - row < rows ? size.m - row : rows);
        Staged<Operand>* panel_of_rows = staged + i * right.depth * rows;
        if constexpr (TransposedA) {
          stage_along<rows, Operand>(panel_of_rows, a + (matrix * size.k + k) * size.m + row, size.m, height, depth,
                                     factor);
        } else {
          stage_across<rows, Operand>(panel_of_rows, a + (matrix * size.m + row) * size.k + k, size.k, height, depth,
                                      factor);
        }
        as_left<Operand>(panel_of_rows, right.depth * rows);
      }
      commit();
      wait<0>();
    }
    GABLE_FUNCTION void tile(Index matrix, Index row, Index panel, const LeftPanel<Operand>& staged) const {
      Accumulator<Operand> accumulator;
      accumulator.clear();
      multiply(accumulator, staged, right.panel(matrix, panel), right.depth);
      const Index first = column + panel * columns;
      const Index offset = (matrix * size.m + row) * size.n + first;
      if (row + rows <= size.m && first + columns <= size.n) {
        accumulator.for_each([&](int r, int j, auto& pack) {
          write(FullPack<Accumulator<Operand>::lanes>{}, offset + r * size.n + j, first + j, pack);
        });
        return;
      }
      write_some(Accumulator<Operand>(accumulator), offset, first, static_cast<int>(size.m - row));
    }
    /// A tile that reaches beyond the last of `height` rows, or beyond the last column.
    __attribute__((noinline)) void write_some(Accumulator<Operand> accumulator, Index offset, Index first,
                                              int height) const {
      constexpr int lanes = Accumulator<Operand>::lanes;
      for (int r = 0; r < rows && r < height; ++r) {
        for (int j = 0; j < columns && first + j < size.n; j += lanes) {
          const Index left_over = size.n - first - j;
          const PartialPack<lanes> some{static_cast<int>(left_over < lanes ? left_over : lanes)};
          write(some, offset + r * size.n + j, first + j, accumulator.value[r][j / lanes]);
        }
      }
    }
    template <class Access, class Pack>
    GABLE_FUNCTION void write(const Access& access, Index at, Index j, Pack& pack) const {
      if (k > 0) pack += access.load(sums + at);
      if (k + depth < size.k) {
        access.store(sums + at, pack);
        return;
      }
      if constexpr (std::is_same_v<Operand, PairedBf16>) pack = pack * factor;
      if constexpr (has_bias<Epilogue>) pack = epilogue(pack, access.load(epilogue.bias + j));
      access.store(c + at, pack);
    }
  };

  /// For few rows a B that is staged for all threads would be read from memory twice: here each thread stages blocks of
  /// its own columns, which stay in its L2 for the few products that need them.
  struct OwnColumns {
    Block block;
    typename RightOperand<Operand, TransposedB>::Own own;
    Index block_depth, block_columns;

    KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
      const Index n = block.size.n, k = block.size.k, step = block_depth * per_value;
      const Chunk panels = chunk_of(panels_of(n, columns), part, block.grid.columns, 1);
      const Index end = panels.end * columns < n ? panels.end * columns : n;
      Block now = block;
      now.grid = {1, 1};
      now.left += part * block.left_stride;
      for (now.column = panels.begin * columns; now.column < end; now.column += block_columns) {
        const Index width = end - now.column < block_columns ? end - now.column : block_columns;
        for (now.k = 0; now.k < k; now.k += step) {
          now.depth = k - now.k < step ? k - now.k : step;
          now.right = own.stage(part, (block_depth | 1) * block_columns, now.k, now.depth, now.column, width);
          now(0);
        }
      }
    }
  };
  Block block_at(const typename RightOperand<Operand, TransposedB>::Block& right, Index k, Index depth,
                 Index column) const {
    return {size_,
            a_,
            c_,
            sums(),
            left_.data(),
            right,
            factor_,
            epilogue_,
            grid_,
            left_panels_,
            left_panels_ * block_depth_ * rows,
            k,
            depth,
            column};
  }

  ProductSize size_;
  const T* a_;
  const T* b_;
  Result<T>* c_;
  A factor_;
  Epilogue epilogue_;
  bool own_;           ///< each thread has columns of its own
  Index block_depth_;  ///< in staged values
  Index block_columns_, left_panels_;
  Grid grid_;
  RightOperand<Operand, TransposedB> right_;
  Kokkos::View<Staged<Operand>*, Exec::memory_space> left_;
  Kokkos::View<A*, Exec::memory_space> sums_;
};

}  // namespace gable::device::tile
