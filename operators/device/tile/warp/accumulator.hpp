#pragma once
#include <cstdint>
#include <type_traits>

#include "core/operator.hpp"
#include "operators/device/tile/warp/layout.hpp"

namespace gable::device::tile::warp {

/// A tile of rows x columns in the registers of a warp's lanes, in accumulate type. The form's Held says which element
/// is where: `slots` rows of a lane are `down` apart, and of each it has `packed` neighbours in every `stride` columns.
template <class Form, class T, int rows_, int columns_>
struct Accumulator {
  using A = Accumulate<T>;
  using Held = typename Form::template Held<T>;
  static constexpr int rows = rows_, columns = columns_;
  static constexpr int slots = rows / Held::down;
  static constexpr int packs = columns / Held::stride;
  static constexpr int packed = Held::packed;
  static_assert(slots * Held::down == rows && packs * Held::stride == columns);
  A value[slots][packs][packed];

  GABLE_FUNCTION void clear() {
#pragma unroll
    for (int s = 0; s < slots; ++s) {
#pragma unroll
      for (int p = 0; p < packs; ++p) {
#pragma unroll
        for (int i = 0; i < packed; ++i) value[s][p][i] = A(0);
      }
    }
  }
  /// function(row, column, pack) for each pack of this lane: columns [column, column + packed) of the row.
  template <class Function>
  GABLE_FUNCTION void for_each(int lane, const Function& function) {
#pragma unroll
    for (int s = 0; s < slots; ++s) {
#pragma unroll
      for (int p = 0; p < packs; ++p) function(Held::row(lane, s), Held::column(lane, p), value[s][p]);
    }
  }
};

/// Stores a pack in storage type, or the first `left` elements of it if there are fewer; whole_packs: `to` is aligned
/// to a pack.
template <class Machine, class T, int packed>
GABLE_FUNCTION void store_pack(T* to, const Accumulate<T> (&pack)[packed], Index left, bool whole_packs) {
  if (whole_packs) {
    if (left > 0) Machine::store(to, pack);
    return;
  }
#pragma unroll
  for (int i = 0; i < packed; ++i) {
    if (i < left) to[i] = narrow<T>(pack[i]);
  }
}

/// Stores one slot of a tile, all of whose columns exist, at its row's first element; rows are whole segments. Lanes
/// next to each other that share the row exchange packs of less than 16 bytes first: each of them then stores 16
/// neighbouring bytes, and memory gets whole sectors.
template <class Machine, class T, class Held, int packs, int packed>
GABLE_FUNCTION void store_row(T* row, int lane, const Accumulate<T> (&values)[packs][packed]) {
  constexpr int words = packed * static_cast<int>(sizeof(T)) / 4;
  constexpr int wanted = Held::apart == 1 && words < 4 ? 4 / words : 1;
  constexpr int together = packs % wanted == 0 ? wanted : 1;
  struct alignas(together * words * 4) Piece {
    std::uint32_t word[together][words];
  };
  // The lane of each few whose columns come first in all their pieces, and the piece that this one gets.
  T* own = row + Held::column(lane - lane % together, lane % together);
#pragma unroll
  for (int p = 0; p < packs; p += together) {
    Piece piece;
#pragma unroll
    for (int i = 0; i < together; ++i) Machine::store(reinterpret_cast<T*>(piece.word[i]), values[p + i]);
#pragma unroll
    for (int mask = 1; mask < together; mask *= 2) {
      const bool upper = (lane & mask) != 0;
#pragma unroll
      for (int i = 0; i < together; ++i) {
        if ((i & mask) != 0) continue;
#pragma unroll
        for (int w = 0; w < words; ++w) {
          std::uint32_t &low = piece.word[i][w], &high = piece.word[i | mask][w];
          const std::uint32_t other = Machine::exchange(upper ? low : high, mask);
          (upper ? low : high) = other;
        }
      }
    }
    *reinterpret_cast<Piece*>(own + p * Held::stride) = piece;
  }
}

/// The larger one, in one instruction: a comparison and a choice, which others have, are two of NVIDIA's.
template <class A>
GABLE_FUNCTION A larger(A x, A y) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<A, float>) return ::fmaxf(x, y);
#endif
  return x > y ? x : y;
}

/// Largest (sum) of the values that the `across` lanes sharing a row, `apart` from each other, give; each of them gets
/// it.
template <class Machine, class T>
GABLE_FUNCTION Accumulate<T> row_maximum(Accumulate<T> value) {
  using Held = typename Machine::Form::template Held<T>;
#pragma unroll
  for (int mask = Held::apart; mask < Held::apart * Held::across; mask *= 2)
    value = larger(Machine::exchange(value, mask), value);
  return value;
}
template <class Machine, class T>
GABLE_FUNCTION Accumulate<T> row_sum(Accumulate<T> value) {
  using Held = typename Machine::Form::template Held<T>;
#pragma unroll
  for (int mask = Held::apart; mask < Held::apart * Held::across; mask *= 2) value += Machine::exchange(value, mask);
  return value;
}

}  // namespace gable::device::tile::warp
