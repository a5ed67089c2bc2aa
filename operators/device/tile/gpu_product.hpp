#pragma once
#include <algorithm>

#include "operators/device/tile/launch.hpp"
#include "operators/device/tile/size.hpp"
#include "operators/device/tile/tile.hpp"
#include "operators/device/tile/warp/product_block.hpp"

namespace gable::device::tile {

/// C = factor A B for a batch of row-major matrices: A [m,k] (TransposedA: [k,m]), B [k,n] (TransposedB: [n,k]), C
/// [m,n]; its elements become what the epilogue makes of them. One launch; each team makes 128 x 128 elements of C
/// (warp::ProductBlock).
template <class T, bool TransposedB, bool TransposedA = false, class Epilogue = AsTheyAre>
class Product {
  using Block = warp::ProductBlock<Machine, T, TransposedB, TransposedA, Epilogue>;

 public:
  Product(const ProductSize& size, const T* a, const T* b, Result<T>* c, Accumulate<T> factor,
          const Epilogue& epilogue = {})
      : block_{size.m,
               size.n,
               size.k,
               panels_of(size.m, Block::rows),
               panels_of(size.n, Block::columns),
               a,
               b,
               c,
               factor,
               epilogue,
               std::clamp(most_scratch_bytes<Block>() / Block::stage_bytes, 2, Block::most_stages)},
        blocks_(size.batch * block_.row_blocks * block_.column_blocks) {}

  /// Enqueues.
  void run(const Exec& exec) const {
    launch("gable::tile::product", exec, blocks_, block_, block_.stages * Block::stage_bytes);
  }

 private:
  Block block_;
  Index blocks_;
};

}  // namespace gable::device::tile
