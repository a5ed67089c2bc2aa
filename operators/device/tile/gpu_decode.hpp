#pragma once
#include <algorithm>

#include "operators/device/tile/decode_parts.hpp"
#include "operators/device/tile/launch.hpp"
#include "operators/device/tile/warp/decode_block.hpp"
#include "operators/device/tile/warp/decode_tile_block.hpp"

namespace gable::device::tile {

/// One query of each head against its cached keys and values: o = softmax(q K^T / sqrt(d)) V. One launch, of
/// warp::DecodeTileBlock where the device and the width of a head allow it, else of warp::DecodeBlock in the form that
/// that width and the size of a group allow.
template <class C, class T>
class DecodeAttention {
  template <int elements, int heads, int loads = 8 / elements>
  using Block = warp::DecodeBlock<Machine, C, T, elements, heads, loads>;
  /// Elements of the cache that a lane reads at once.
  static constexpr int per_load = sizeof(C) == 4 ? 4 : 8;

 public:
  DecodeAttention(const DecodeSize& size, const DecodeArrays<C, T>& arrays)
      : size_(size), arrays_(arrays), parts_(with_block(size, [&]<class Block>() {
          const Index blocks = Block::blocks_of(size);
          return DecodeWorkspace(size, splits_of(size, multiprocessors(Exec()) * blocks_at_once<Block> / blocks),
                                 blocks);
        })) {}

  /// Enqueues; does not wait. One run at a time.
  void run(const Exec& exec) const {
    with_block(size_, [&]<class Block>() {
      const Block block(size_, parts_.parts(), arrays_);
      launch("gable::attention_decode", exec, block.count(), block, block.scratch_bytes());
    });
  }

 private:
  /// Calls use<Block>().
  template <class Use>
  static auto with_block(const DecodeSize& size, const Use& use) {
    if constexpr (Machine::Form::decodes_by_matrix && sizeof(C) <= 2) {
      using Tile = warp::DecodeTileBlock<Machine, C, T>;
      if (Tile::fits(size.d) && Tile::scratch_bytes() <= most_scratch_bytes<Tile>()) {
        return use.template operator()<Tile>();
      }
    }
    if (size.d % per_load != 0) return use.template operator()<Block<1, 1>>();
    if constexpr (sizeof(C) == 4) {
      if (size.d <= Block<4, 4, 1>::columns) {
        return size.group == 1 ? use.template operator()<Block<4, 1, 1>>() : use.template operator()<Block<4, 4, 1>>();
      }
    }
    if (size.group == 1) return use.template operator()<Block<per_load, 1>>();
    if constexpr (!Block<per_load, 4>::takes_wide_heads) {
      if (size.d > Block<per_load, 4>::columns) return use.template operator()<Block<per_load, 2>>();
    }
    return use.template operator()<Block<per_load, 4>>();
  }
  /// As many as give each multiprocessor the blocks that it has room for, but of tokens enough to be worth a part.
  static Index splits_of(const DecodeSize& size, Index wanted) {
    constexpr Index fewest_tokens = 256;
    return std::clamp<Index>(wanted, 1, std::max<Index>(1, size.tokens / fewest_tokens));
  }

  DecodeSize size_;
  DecodeArrays<C, T> arrays_;
  DecodeWorkspace parts_;
};

}  // namespace gable::device::tile
