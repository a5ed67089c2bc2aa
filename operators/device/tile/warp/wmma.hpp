#pragma once
#include <cstdint>
#include <type_traits>

#include "operators/device/tile/warp/accumulator.hpp"

namespace gable::device::tile::warp {

/// The form of AMD's RDNA3: waves of 32 lanes, and for types of two bytes and of one a tile of 16 x 16 a time, of 16 of
/// the depth: v_wmma_f32_16x16x16_f16, ..._bf16, v_wmma_i32_16x16x16_iu8. In D = A B + C a lane brings row lane % 16 of
/// A and column lane % 16 of B at all 16 of the depth, so that lanes 16 to 31 bring what 0 to 15 do, and gets of column
/// lane % 16 of D the rows 2 i + lane / 16 (RDNA3 Instruction Set Architecture, wave matrix multiply accumulate). There
/// is no such instruction for fp32 and fp64, so this form has no products of theirs; nor has it attention.
///
/// As in Mfma the product's right operand goes in as A and its left one as B, so D comes out transposed: a lane holds
/// neighbours of one row. Which columns stand in a tile of D is free, and chosen so that every accumulator is laid out
/// alike.
struct Wmma {
  static constexpr int lanes = 32;
  static constexpr int row_bytes = 64, scratch_alignment = 128;
  static constexpr int product_columns = 128, behind = 0;
  /// As with Mfma: the next stage waits in registers, and several blocks share the LDS of two compute units.
  template <class T>
  static constexpr int least_stages = 1;
  template <class T>
  static constexpr int most_stages = 1;
  template <class T>
  static constexpr int product_warp_rows = 32;
  template <class T>
  static constexpr int product_warps = 8;
  template <class T>
  static constexpr bool product_is_gapped = false;
  template <class T, bool needs_registers>
  static constexpr int product_blocks = 2;  ///< waves of a SIMD, as the compiler takes it
  static constexpr int decode_blocks = 2;
  static constexpr bool decodes_by_matrix = false;
  static constexpr int instruction_depth = 16;

  /// Eight neighbouring lanes read eight neighbouring rows, if in another order.
  template <class T>
  GABLE_FUNCTION static constexpr int place_along(int row, int segment) {
    return segment ^ (row >> 1 & 3);
  }
  /// Neighbouring lanes read neighbours of one row.
  template <class T>
  GABLE_FUNCTION static constexpr int place_across(int, int segment) {
    return segment;
  }

  /// Which elements of a tile a lane holds.
  template <class T>
  struct Held {
    static_assert(sizeof(T) <= 2);
    static constexpr int across = 2;  ///< lanes that share a row
    static constexpr int apart = 16;  ///< from each of them to the next
    static constexpr int packed = 4;
    static constexpr int down = 16;
    static constexpr int stride = across * packed;

    GABLE_FUNCTION static constexpr int row(int lane, int slot) { return down * slot + lane % 16; }
    GABLE_FUNCTION static constexpr int column(int lane, int pack) { return stride * pack + packed * (lane / 16); }
  };
};

/// What a lane brings to one instruction for one operand: 16 elements, neighbours in depth.
template <class T>
struct WaveOperand {
  static constexpr int words = 4 * static_cast<int>(sizeof(T));
  std::uint32_t word[words];
};
/// 16 bytes of a row along the depth, and 8 of a row across it, as scratch has them.
struct alignas(16) FourWords {
  std::uint32_t word[4];
};
struct alignas(8) TwoWords {
  std::uint32_t word[2];
};

/// Where in a tile's 16 columns the column of D is that lane % 16 brings along the depth, and its four neighbours in 64
/// columns across the depth: such that a lane's part of D is [4 (lane / 16), 4 (lane / 16) + 4) of every 8.
GABLE_FUNCTION constexpr int wave_column_along(int lane) { return 8 * (lane % 16 / 8) + 4 * (lane % 2) + lane % 8 / 2; }
GABLE_FUNCTION constexpr int wave_columns_across(int lane) { return 4 * (lane % 16); }

/// The operand in row `row` of a panel along the depth, from depth k on.
template <class Machine, class T>
GABLE_FUNCTION WaveOperand<T> load_along(const T* panel, int row, int k) {
  WaveOperand<T> operand;
#pragma unroll
  for (int i = 0; i < operand.words; i += 4) {
    const int first = k + i / 4 * per_segment<T>;
    const auto four = Machine::template load<FourWords, segment_bytes>(panel + AlongDepth<Wmma, T>::at(row, first));
#pragma unroll
    for (int x = 0; x < 4; ++x) operand.word[i + x] = four.word[x];
  }
  return operand;
}
/// The left operand of this lane in row `row` of the panel and those 16 apart.
template <class Machine, class T, int slots>
GABLE_FUNCTION void load_left(WaveOperand<T> (&left)[slots], const T* panel, int row, int k) {
#pragma unroll
  for (int s = 0; s < slots; ++s) left[s] = load_along<Machine>(panel, row + 16 * s + Machine::lane() % 16, k);
}
/// The same of a panel across the depth, element by element.
template <class Machine, class T, int width, int slots>
GABLE_FUNCTION void load_left(WaveOperand<T> (&left)[slots], const LeftAcross<Wmma, T, width>& panel, int row, int k) {
  static_assert(sizeof(T) == 2);
#pragma unroll
  for (int s = 0; s < slots; ++s) {
#pragma unroll
    for (int i = 0; i < left[s].words; ++i) {
      const int own = row + 16 * s + Machine::lane() % 16;
      left[s].word[i] = panel.at(own, k + 2 * i)->bits | std::uint32_t{panel.at(own, k + 2 * i + 1)->bits} << 16;
    }
  }
}

/// The right operand's columns `column` to `column` + 3 at depths k to k + 15: operands of four instructions.
template <class Machine, class T, int width>
GABLE_FUNCTION void load_across(WaveOperand<T> (&operands)[4], const RightAcross<Wmma, T, width>& right, int k,
                                int column) {
  static_assert(sizeof(T) == 2);
#pragma unroll
  for (int i = 0; i < operands[0].words; ++i) {
    const auto low = Machine::template load<TwoWords, 8>(right.at(k + 2 * i, column));
    const auto high = Machine::template load<TwoWords, 8>(right.at(k + 2 * i + 1, column));
#pragma unroll
    for (int x = 0; x < 4; ++x) operands[x].word[i] = Machine::halves(low.word[x / 2], high.word[x / 2], x % 2 == 1);
  }
}

/// tile += left x right over the depth of one instruction, along the right operand.
template <class Machine, class T, int rows, int columns>
GABLE_FUNCTION void multiply_step(Accumulator<Wmma, T, rows, columns>& tile, const WaveOperand<T> (&left)[rows / 16],
                                  const RightAlong<Wmma, T>& right, int k, int column) {
  static_assert(columns % 16 == 0);
#pragma unroll
  for (int p = 0; p < tile.packs; p += 2) {
    const auto operand = load_along<Machine>(right.panel, column + 8 * p + wave_column_along(Machine::lane()), k);
#pragma unroll
    for (int s = 0; s < tile.slots; ++s) {
      Accumulate<T> sums[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) sums[i] = tile.value[s][p + i / 4][i % 4];
      Machine::template wmma<T>(sums, operand, left[s]);
#pragma unroll
      for (int i = 0; i < 8; ++i) tile.value[s][p + i / 4][i % 4] = sums[i];
    }
  }
}
/// The same across it.
template <class Machine, class T, int rows, int columns, int width>
GABLE_FUNCTION void multiply_step(Accumulator<Wmma, T, rows, columns>& tile, const WaveOperand<T> (&left)[rows / 16],
                                  const RightAcross<Wmma, T, width>& right, int k, int column) {
  static_assert(columns % 64 == 0);
#pragma unroll
  for (int p = 0; p < tile.packs; p += 8) {
    WaveOperand<T> operands[4];
    load_across<Machine>(operands, right, k, column + 8 * p + wave_columns_across(Machine::lane()));
#pragma unroll
    for (int x = 0; x < 4; ++x) {
#pragma unroll
      for (int s = 0; s < tile.slots; ++s) {
        Accumulate<T> sums[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) sums[i] = tile.value[s][p + i][x];
        Machine::template wmma<T>(sums, operands[x], left[s]);
#pragma unroll
        for (int i = 0; i < 8; ++i) tile.value[s][p + i][x] = sums[i];
      }
    }
  }
}

/// tile += left x right over a panel's depth: rows [row, row + rows) of the left panel, columns from `column` on.
template <class Machine, class T, int rows, int columns, class LeftPanel, class Right>
GABLE_FUNCTION void multiply(Accumulator<Wmma, T, rows, columns>& tile, const LeftPanel& left, int row,
                             const Right& right, int column) {
#pragma unroll 1  // unrolled, the operands of both steps are read at once, and registers are spilled
  for (int k = 0; k < AlongDepth<Wmma, T>::depth; k += Wmma::instruction_depth) {
    WaveOperand<T> operands[rows / 16];
    load_left<Machine>(operands, left, row, k);
    multiply_step<Machine>(tile, operands, right, k, column);
  }
}

template <class Machine, class T, int rows, int columns>
GABLE_FUNCTION void finish(Accumulator<Wmma, T, rows, columns>&) {}

}  // namespace gable::device::tile::warp
