#pragma once
#include <algorithm>
#include <cmath>

#include "operators/device/tile/decode_parts.hpp"
#include "operators/device/tile/launch.hpp"
#include "operators/device/tile/warp/decode_block.hpp"

namespace gable::device::tile {

/// One query of each head against its cached keys and values: o = softmax(q K^T / sqrt(d)) V. A launch of
/// warp::DecodeBlock, in the form that the width of a head and the size of a group allow, and one that combines.
template <class C, class T>
class DecodeAttention {
  template <int elements, int heads>
  using Block = warp::DecodeBlock<Machine, C, T, elements, heads>;
  static constexpr int per_load = Block<1, 1>::most_elements;

 public:
  DecodeAttention(const DecodeSize& size, const DecodeArrays<C, T>& arrays)
      : size_(size),
        arrays_(arrays),
        parts_(size, splits_of(size)),
        combine_{parts_.parts(), size.rows * size.group, size.d, arrays.o} {}

  /// Enqueues.
  void run(const Exec& exec) const {
    if (size_.d % per_load != 0) {
      run_as<Block<1, 1>>(exec);
    } else if (size_.group == 1) {
      run_as<Block<per_load, 1>>(exec);
    } else {
      run_as<Block<per_load, 4>>(exec);
    }
    combine_.run(exec);
  }

 private:
  template <class Block>
  void run_as(const Exec& exec) const {
    const Block block(size_, parts_.parts(), arrays_);
    launch("gable::attention_decode", exec, block.count(), block, block.scratch_bytes());
  }
  /// As many as give the device about four blocks a multiprocessor, each of tokens enough to be worth a partial result.
  static Index splits_of(const DecodeSize& size) {
    constexpr Index fewest_tokens = 256, threads_for_a_block = 512;
    const Index wanted = Exec().concurrency() / threads_for_a_block / size.rows;
    return std::clamp<Index>(wanted, 1, std::max<Index>(1, size.tokens / fewest_tokens));
  }

  DecodeSize size_;
  DecodeArrays<C, T> arrays_;
  DecodeWorkspace parts_;
  DecodeCombine<T> combine_;
};

}  // namespace gable::device::tile
