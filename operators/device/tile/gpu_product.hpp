#pragma once
#include <algorithm>
#include <type_traits>

#include "operators/device/elementwise.hpp"
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
  BlockedProduct(const ProductSize& size, const T* a, const T* b, typename Block::Stored* c, Accumulate<T> factor,
                 const Epilogue& epilogue, Index parts = 1)
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
               std::max(granted_stages(), Block::least_stages),
               panels_of(panels_of(size.k, Block::depth), static_cast<int>(parts)) * Block::depth},
        blocks_(size.batch * parts * block_.row_blocks * block_.column_blocks) {}

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

/// Makes elements of C of the sums of their parts.
template <class T, class Epilogue>
struct CombineParts {
  static constexpr bool mixed_types = true;
  using A = Accumulate<T>;
  const A* sums;
  Index parts, apart;  ///< apart: elements from one part to the next
  A factor;
  Epilogue epilogue;

  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, [[maybe_unused]] Index j) const {
    auto sum = access.load(sums + i);
    for (Index part = 1; part < parts; ++part) sum += access.load(sums + part * apart + i);
    sum = sum * factor;
    if constexpr (has_bias<Epilogue>) {
      return epilogue(sum, access.load(epilogue.bias + j));
    } else {
      return sum;
    }
  }
};

/// A product of few blocks and much depth: each block makes a part of it, as many as there are multiprocessors for, and
/// a second launch adds them.
template <class Machine, class T, bool TransposedB, bool TransposedA, class Epilogue>
class ProductInParts {
  using Blocked = BlockedProduct<Machine, T, TransposedB, TransposedA, AsSums>;

 public:
  ProductInParts(const ProductSize& size, Index parts, const T* a, const T* b, Result<T>* c, Accumulate<T> factor,
                 const Epilogue& epilogue)
      : parts_(parts),
        sums_(make_workspace<Accumulate<T>>("gable::tile::parts", parts > 1 ? parts * size.m * size.n : 0)),
        product_(size, a, b, sums_.data(), Accumulate<T>(1), {}, parts),
        combine_(c, size.m * size.n, size.n, {sums_.data(), parts, size.m * size.n, factor, epilogue}) {}

  Index parts() const { return parts_; }
  /// Enqueues.
  void run(const Exec& exec) const {
    product_.run(exec);
    combine_.run(exec);
  }

 private:
  Index parts_;
  Kokkos::View<Accumulate<T>*, Exec::memory_space> sums_;
  Blocked product_;
  Elementwise<Result<T>, CombineParts<T, Epilogue>> combine_;
};

/// C = factor A B for a batch of row-major matrices: A [m,k] (TransposedA: [k,m]), B [k,n] (TransposedB: [n,k]), C
/// [m,n]; its elements become what the epilogue makes of them. By warpgroups where the device multiplies so, the
/// scratch holds their panels, and blocks of 128 x 256, or parts of their depth, keep most of its multiprocessors busy;
/// else by warps.
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
      : by_warps_(size, a, b, c, factor, epilogue),
        by_groups_(size, a, b, c, factor, epilogue),
        in_parts_(size, parts_of(size), a, b, c, factor, epilogue) {}

  /// Enqueues.
  void run(const Exec& exec) const {
    if constexpr (has_groups) {
      // Warps make twice as many blocks, at about two thirds of the speed: below this some of them would have no use.
      // One conformance size of every operator has so many blocks for 132 multiprocessors, the most of sm_90a.
      if (By<GroupMachine>::fits()) {
        if (4 * by_groups_.blocks() >= 3 * multiprocessors(exec)) return by_groups_.run(exec);
        if (in_parts_.parts() > 1) return in_parts_.run(exec);
      }
    }
    by_warps_.run(exec);
  }

 private:
  /// Parts of a matrix that warpgroups have too few blocks of, each of 512 or more of the depth: its sums are written
  /// and read once more, which takes as long as a depth of about 500.
  Index parts_of(const ProductSize& size) const {
    if constexpr (has_groups) {
      constexpr Index least_depth = 512;
      if (size.batch == 1 && size.n % pack_size<Result<T>> == 0)
        return std::clamp<Index>(size.k / least_depth, 1,
                                 std::max<Index>(1, multiprocessors(Exec()) / by_groups_.blocks()));
    }
    return 1;
  }

  By<Machine> by_warps_;
  std::conditional_t<has_groups, By<GroupMachine>, None> by_groups_;
  std::conditional_t<has_groups, ProductInParts<GroupMachine, T, TransposedB, TransposedA, Epilogue>, None> in_parts_;
};

}  // namespace gable::device::tile
