#pragma once
#include <algorithm>
#include <type_traits>

#include "operators/device/tile/launch.hpp"
#include "operators/device/tile/size.hpp"
#include "operators/device/tile/tile.hpp"
#include "operators/device/tile/warp/product_block.hpp"

namespace gable::device::tile {

/// A batch of products as blocks of one machine, each team one block (warp::ProductBlock). One launch.
template <class Machine, class T, bool TransposedB, bool TransposedA, class Epilogue>
class BlockedProduct {
  using Block = warp::ProductBlock<Machine, T, TransposedB, TransposedA, Epilogue>;

 public:
  BlockedProduct(const ProductSize& size, const T* a, const T* b, Result<T>* c, Accumulate<T> factor,
                 const Epilogue& epilogue)
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
               std::max(granted_stages(), Block::least_stages)},
        blocks_(size.batch * block_.row_blocks * block_.column_blocks) {}

  /// Whether Kokkos grants scratch for the shortest ring.
  static bool fits() { return granted_stages() >= Block::least_stages; }
  Index blocks() const { return blocks_; }
  /// Enqueues.
  void run(const Exec& exec) const {
    launch("gable::tile::product", exec, blocks_, block_, block_.stages * Block::stage_bytes);
  }

 private:
  static int granted_stages() { return warp::stages_in<Block>(most_scratch_bytes<Block>()); }

  Block block_;
  Index blocks_;
};

/// C = factor A B for a batch of row-major matrices: A [m,k] (TransposedA: [k,m]), B [k,n] (TransposedB: [n,k]), C
/// [m,n]; its elements become what the epilogue makes of them. By warpgroups where the device multiplies so, the
/// scratch holds their panels, and there are blocks of 128 x 256 for most of its multiprocessors; else by warps.
template <class T, bool TransposedB, bool TransposedA = false, class Epilogue = AsTheyAre>
class Product {
  static constexpr bool has_groups = by_groups<T, TransposedA, !TransposedB>;
  template <class AnyMachine>
  using By = BlockedProduct<AnyMachine, T, TransposedB, TransposedA, Epilogue>;
  struct None {  ///< in the place of a form that there is not
    None(auto&&...) {}
  };

 public:
  Product(const ProductSize& size, const T* a, const T* b, Result<T>* c, Accumulate<T> factor,
          const Epilogue& epilogue = {})
      : by_warps_(size, a, b, c, factor, epilogue), by_groups_(size, a, b, c, factor, epilogue) {}

  /// Enqueues.
  void run(const Exec& exec) const {
    if constexpr (has_groups) {
      // Warps make twice as many blocks, at about two thirds of the speed: below this some of them would have no use.
      // One conformance size of every operator has so many blocks for 132 multiprocessors, the most of sm_90a.
      if (By<GroupMachine>::fits() && 4 * by_groups_.blocks() >= 3 * multiprocessors(exec)) return by_groups_.run(exec);
    }
    by_warps_.run(exec);
  }

 private:
  By<Machine> by_warps_;
  std::conditional_t<has_groups, By<GroupMachine>, None> by_groups_;
};

}  // namespace gable::device::tile
