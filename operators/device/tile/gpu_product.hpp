#pragma once
#include <algorithm>

#include "operators/device/tile/launch.hpp"
#include "operators/device/tile/product_size.hpp"
#include "operators/device/tile/warp/product_block.hpp"
#include "operators/device/tile/workspace.hpp"

namespace gable::device::tile {

/// C = factor A B for a batch of row-major matrices: A [m,k], B [k,n] (Transposed: [n,k]), C [m,n]. One launch; each
/// team makes 128 x 128 elements of C (warp::ProductBlock).
template <class T, bool Transposed>
class Product {
  using Block = warp::ProductBlock<Machine, T, Transposed>;

 public:
  Product(const ProductSize& size, const T* a, const T* b, T* c, Accumulate<T> factor)
      : block_{size.m,
               size.n,
               size.k,
               panels_of(size.m, Block::rows),
               panels_of(size.n, Block::columns),
               a,
               b,
               c,
               factor,
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
