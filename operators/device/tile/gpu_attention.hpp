#pragma once
#include <cmath>

#include "operators/device/tile/launch.hpp"
#include "operators/device/tile/size.hpp"
#include "operators/device/tile/tile.hpp"
#include "operators/device/tile/warp/attention_block.hpp"
#include "operators/device/tile/warp/group_attention_block.hpp"

namespace gable::device::tile {

/// O = softmax(Q K^T / sqrt(d)) V for each head, with an online softmax. Q, O: [h,l,d], K, V: [kv,l,d]. One launch, in
/// the form that the width of a head allows: 2-byte types by warpgroups where the device multiplies so, heads are 64 or
/// 128 wide, and the scratch holds their tiles (warp::GroupAttentionBlock), else by warps (warp::AttentionBlock).
template <class T>
class FusedAttention {
  using A = Accumulate<T>;

 public:
  FusedAttention(const AttentionSize& size, const T* q, const T* k, const T* v, T* o)
      : size_(size), q_(q), k_(k), v_(v), o_(o) {}

  /// Enqueues.
  void run(const Exec& exec) const {
    if constexpr (sizeof(T) == 2 && by_groups<T, false, true>) {
      if (run_by_groups<64>(exec) || run_by_groups<128>(exec)) return;
    }
    if constexpr (sizeof(T) == 2) {
      if (run_as<warp::AttentionBlock<Machine, T, 64, 16, true>>(exec)) return;
      if (run_as<warp::AttentionBlock<Machine, T, 128, 16, true>>(exec)) return;
      run_as<warp::AttentionBlock<Machine, T, 128, 16, false>>(exec);
    } else {
      if constexpr (sizeof(T) == 4) {
        if (run_as<warp::AttentionBlock<Machine, T, 64, 16, true>>(exec)) return;
      }
      // A warp of 32 threads has no registers for 64 columns of fp64 and the mask; a wave of 64 has.
      constexpr bool narrow = sizeof(T) == 8 && Machine::Form::lanes == 32;
      run_as<warp::AttentionBlock<Machine, T, narrow ? 32 : 64, 16, false>>(exec);
    }
  }

 private:
  /// Whether it could. Not with rows for one of a block's two groups alone.
  template <int width>
  bool run_by_groups(const Exec& exec) const {
    using Block = warp::GroupAttentionBlock<GroupMachine, T, width>;
    if (size_.l <= Block::Form::group_rows || Block::scratch_bytes > most_scratch_bytes<Block>()) return false;
    return run_as<Block>(exec);
  }
  template <class Block>
  bool run_as(const Exec& exec) const {
    if (!Block::fits(size_.d)) return false;
    const Index row_blocks = panels_of(size_.l, Block::rows), column_blocks = panels_of(size_.d, Block::value_columns);
    const auto scale = static_cast<A>(std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(size_.d)));
    launch("gable::attention_fused", exec, size_.h * row_blocks * column_blocks,
           Block{size_.l, size_.d, size_.h / size_.kv, size_.causal, row_blocks, column_blocks, q_, k_, v_, o_, scale},
           Block::scratch_bytes);
    return true;
  }

  AttentionSize size_;
  const T* q_;
  const T* k_;
  const T* v_;
  T* o_;
};

}  // namespace gable::device::tile
