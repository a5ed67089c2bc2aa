#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "operators/device/isa/pair.hpp"
#include "operators/device/tile/warp/accumulator.hpp"

namespace gable::device::tile::warp {

/// The form of AMD's GPUs with matrix cores (CDNA): waves of 64 lanes, and for all four storage types one tile of
/// 16 x 16 a time, of 16 (2-byte types) or 4 of the depth: v_mfma_f32_16x16x16_f16, ..._bf16_1k,
/// v_mfma_f32_16x16x4_f32, v_mfma_f64_16x16x4_f64; and for int8 one of 32 of the depth. In D = A B + C a lane brings
/// row lane % 16 of A and column lane % 16 of B at the depth of its group lane / 16, and gets of column lane % 16 of D
/// the rows 4 (lane / 16) + i, fp64: lane / 16 + 4 i (AMD lab notes on matrix cores).
///
/// CDNA4 has instructions of twice the depth for types of two bytes and of one, v_mfma_f32_16x16x32_f16, ..._bf16 and
/// v_mfma_i32_16x16x64_i8, in which a lane brings 16 bytes; those of half the depth run at half their rate there.
///
/// The product's right operand goes in as A and its left one as B, so D comes out transposed: a lane holds neighbours
/// of one row. Which columns stand in a tile of D, and which elements of the depth in a group, is free as long as both
/// sides agree; they are chosen so that fragments are whole words of scratch and every accumulator is laid out alike.
struct Mfma {
  static constexpr int lanes = 64;
  static constexpr int row_bytes = 64, scratch_alignment = 128;
  static constexpr int product_columns = 128, behind = 0;
  /// With one stage two blocks of a product, or of attention, share the 64 KiB of LDS that a core of CDNA2 and CDNA3
  /// has. The next stage is in registers then until the last product with this one, and products of fp64 have none
  /// left.
  template <class T>
  static constexpr int least_stages = sizeof(T) == 8 ? 2 : 1;
  template <class T>
  static constexpr int most_stages = sizeof(T) == 8 ? 3 : 1;
  static constexpr bool attention_has_one_stage = true;
  template <class T>
  static constexpr int product_warp_rows = 64;
  template <class T>
  static constexpr int product_warps = 4;  ///< a wave to each of the four units of a core
  template <class T>
  static constexpr bool product_is_gapped = false;
  /// Room for two keeps a wave at 256 registers; with more, compilers move accumulators to and fro between both halves.
  template <class T, bool needs_registers>
  static constexpr int product_blocks = sizeof(T) == 8 && needs_registers ? 1 : 2;
  /// The same for decode attention: waves of a SIMD, as the compiler takes it, with 256 registers each.
  static constexpr int decode_blocks = 2;
  static constexpr bool decodes_by_matrix = false;
  /// Depth that the columns of one tile of an accumulator are, and how many such steps an instruction takes at once.
  template <class T>
  static constexpr int step_depth = 16;
  template <class Machine, class T>
  static constexpr int steps_at_once = Machine::template by_segments<T> && sizeof(T) == 2 ? 2 : 1;

  /// Eight neighbouring lanes, which read neighbouring rows or (fp64) rows of 0 4 8 12 1 5 9 13.
  template <class T>
  GABLE_FUNCTION static constexpr int place_along(int row, int segment) {
    return segment ^ ((row >> 1 ^ row >> 3) & 1) ^ (row >> 1 & 2);
  }
  /// Eight neighbouring lanes, whose four columns are 16 apart (fp32), or every other segment (fp64).
  template <class T>
  GABLE_FUNCTION static constexpr int place_across(int, int segment) {
    if constexpr (sizeof(T) == 8) return segment ^ (segment >> 3 & 1);
    if constexpr (sizeof(T) == 4) return segment ^ 2 * (segment >> 3 & 1);
    return segment;
  }

  /// Which elements of a tile a lane holds.
  template <class T>
  struct Held {
    static constexpr int across = 4;  ///< lanes that share a row
    static constexpr int apart = 16;  ///< from each of them to the next
    static constexpr int packed = 4;
    static constexpr int down = 16;
    static constexpr int stride = across * packed;

    GABLE_FUNCTION static constexpr int row(int lane, int slot) { return down * slot + lane % 16; }
    GABLE_FUNCTION static constexpr int column(int lane, int pack) { return stride * pack + packed * (lane / 16); }
  };
};

/// What a lane brings to one instruction for one operand: neighbours in depth, four of 2 bytes or eight of one, or one
/// element.
struct FourHalves {
  std::uint32_t word[2];
};
template <class T>
using Operand = std::conditional_t<sizeof(T) <= 2, FourHalves, T>;
template <class T>
inline constexpr int per_operand = sizeof(T) <= 2 ? 8 / static_cast<int>(sizeof(T)) : 1;

/// A segment of a panel's row as operands of successive instructions, or of one that takes it whole; four neighbours
/// across the depth.
template <class T>
struct alignas(segment_bytes) OperandSegment {
  static constexpr int count = segment_bytes / static_cast<int>(sizeof(Operand<T>));
  Operand<T> operand[count];
};
template <class T>
struct alignas(sizeof(T) == 2 ? 8 : 16) FourAcross {
  T element[4];
};

/// Where in a tile's 16 columns the column of D is that lane % 16 brings along the depth, and four neighbours of it in
/// 64 columns across the depth: such that a lane's part of D is [4 (lane / 16), 4 (lane / 16) + 4) of every 16.
template <class T>
GABLE_FUNCTION constexpr int column_along(int lane) {
  return sizeof(T) == 8 ? 4 * (lane % 4) + lane % 16 / 4 : lane % 16;
}
template <class T>
GABLE_FUNCTION constexpr int columns_across(int lane) {
  return sizeof(T) == 8 ? 4 * (lane % 16) : 4 * (4 * (lane % 4) + lane % 16 / 4);
}

/// The right operand's columns 64 p + columns_across + x at depth k and, for 2-byte types, the three behind it: the
/// operands of four instructions, x = 0 to 3.
template <class Machine, class T, int width>
GABLE_FUNCTION void load_across(Operand<T> (&operands)[4], const RightAcross<Mfma, T, width>& right, int k,
                                int column) {
  if constexpr (sizeof(T) == 2) {
    FourHalves row[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) row[i] = Machine::template load<FourHalves, 8>(right.at(k + i, column));
#pragma unroll
    for (int x = 0; x < 4; ++x) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::uint32_t low = row[2 * half].word[x / 2], high = row[2 * half + 1].word[x / 2];
        operands[x].word[half] = x % 2 == 0 ? (low & 0xffffU) | high << 16 : low >> 16 | (high & 0xffff0000U);
      }
    }
  } else {
#pragma unroll
    for (int first = 0; first < 4; first += per_segment<T>) {
      const auto segment = Machine::template load<OperandSegment<T>, segment_bytes>(right.at(k, column + first));
#pragma unroll
      for (int x = 0; x < per_segment<T>; ++x) operands[first + x] = segment.operand[x];
    }
  }
}

/// tile += left x right for one instruction's depth. Factor: what a lane brings to it, one operand or a segment of
/// them; the elements of each operand begin at a depth of their own.
template <class Machine, class T, int rows, int columns, int width, class Factor, int operands>
GABLE_FUNCTION void multiply_across(Accumulator<Mfma, T, rows, columns>& tile, const Factor (&left)[rows / 16],
                                    const RightAcross<Mfma, T, width>& right, const int (&depth)[operands],
                                    int column) {
  static_assert(columns % 64 == 0 && sizeof(Factor) == operands * sizeof(Operand<T>));
  using A = Accumulate<T>;
  struct Joined {
    Operand<T> operand[operands];
  };
#pragma unroll
  for (int p = 0; p < tile.packs; p += 4) {
    Operand<T> loaded[operands][4];
#pragma unroll
    for (int t = 0; t < operands; ++t) {
      load_across<Machine, T>(loaded[t], right, depth[t], column + 16 * p + columns_across<T>(Machine::lane()));
    }
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      Joined joined;
#pragma unroll
      for (int t = 0; t < operands; ++t) joined.operand[t] = loaded[t][x];
#pragma unroll
      for (int s = 0; s < tile.slots; ++s) {
        A sums[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[i] = tile.value[s][p + i][x];
        Machine::template mfma<T>(sums, std::bit_cast<Factor>(joined), left[s]);
#pragma unroll
        for (int i = 0; i < 4; ++i) tile.value[s][p + i][x] = sums[i];
      }
    }
  }
}

/// The segments that a lane has of a panel along the depth: of each row (column) that is its own, that of its group.
template <class Machine, class T, int slots>
GABLE_FUNCTION void load_left(OperandSegment<T> (&segments)[slots], const T* panel, int row) {
  const int lane = Machine::lane();
#pragma unroll
  for (int s = 0; s < slots; ++s) {
    const T* from = panel + AlongDepth<Mfma, T>::at(row + 16 * s + lane % 16, lane / 16 * per_segment<T>);
    segments[s] = Machine::template load<OperandSegment<T>, segment_bytes>(from);
  }
}

/// The same of a panel across the depth, element by element.
template <class Machine, class T, int width, int slots>
GABLE_FUNCTION void load_left(OperandSegment<T> (&segments)[slots], const LeftAcross<Mfma, T, width>& panel, int row) {
  struct Elements {
    T value[per_segment<T>];
  };
  const int lane = Machine::lane();
#pragma unroll
  for (int s = 0; s < slots; ++s) {
    Elements elements;
#pragma unroll
    for (int i = 0; i < per_segment<T>; ++i) {
      elements.value[i] = *panel.at(row + 16 * s + lane % 16, lane / 16 * per_segment<T> + i);
    }
    segments[s] = std::bit_cast<OperandSegment<T>>(elements);
  }
}

/// tile += left x right over a panel's depth: rows [row, row + rows) of the left panel, columns from `column` on.
template <class Machine, class T, int rows, int columns, class LeftPanel>
GABLE_FUNCTION void multiply(Accumulator<Mfma, T, rows, columns>& tile, const LeftPanel& left, int row,
                             const RightAlong<Mfma, T>& right, int column) {
  constexpr int slots = rows / 16;
  const int lane = Machine::lane();
  OperandSegment<T> factors[slots];
  load_left<Machine>(factors, left, row);
#pragma unroll
  for (int p = 0; p < tile.packs; ++p) {
    const T* from = right.at(lane / 16 * per_segment<T>, column + 16 * p + column_along<T>(lane));
    const auto segment = Machine::template load<OperandSegment<T>, segment_bytes>(from);
    if constexpr (Machine::template by_segments<T>) {
#pragma unroll
      for (int s = 0; s < slots; ++s) Machine::template mfma<T>(tile.value[s][p], segment, factors[s]);
    } else {
#pragma unroll
      for (int t = 0; t < segment.count; ++t) {
#pragma unroll
        for (int s = 0; s < slots; ++s) {
          Machine::template mfma<T>(tile.value[s][p], segment.operand[t], factors[s].operand[t]);
        }
      }
    }
  }
}
template <class Machine, class T, int rows, int columns, class LeftPanel, int width>
GABLE_FUNCTION void multiply(Accumulator<Mfma, T, rows, columns>& tile, const LeftPanel& left, int row,
                             const RightAcross<Mfma, T, width>& right, int column) {
  constexpr int slots = rows / 16;
  OperandSegment<T> factors[slots];
  load_left<Machine>(factors, left, row);
  constexpr int count = OperandSegment<T>::count;
  int depth[count];
#pragma unroll
  for (int t = 0; t < count; ++t) depth[t] = Machine::lane() / 16 * per_segment<T> + t * per_operand<T>;
  if constexpr (Machine::template by_segments<T>) {
    multiply_across<Machine>(tile, factors, right, depth, column);
  } else {
#pragma unroll
    for (int t = 0; t < count; ++t) {
      Operand<T> now[slots];
#pragma unroll
      for (int s = 0; s < slots; ++s) now[s] = factors[s].operand[t];
      multiply_across<Machine>(tile, now, right, {depth[t]}, column);
    }
  }
}

template <class Machine, class T, int rows, int columns>
GABLE_FUNCTION void finish(Accumulator<Mfma, T, rows, columns>&) {}

/// tile += left x right over as many steps of depth as go at once: the left operand are steps from `step` on of the
/// columns of `from`, rounded to storage type, where they lie; of the right one those from `right_step` on.
template <class Machine, class T, int rows, int columns, int depth, int width>
GABLE_FUNCTION void multiply_held(Accumulator<Mfma, T, rows, columns>& tile,
                                  const Accumulator<Mfma, T, rows, depth>& from, int step,
                                  const RightAcross<Mfma, T, width>& right, int right_step) {
  constexpr int slots = rows / 16;
  const int k = 16 * right_step + Mfma::Held<T>::column(Machine::lane(), 0);
  if constexpr (sizeof(T) == 2) {
    const auto rounded = [&](int s, int of) {
      const auto& pack = from.value[s][of];
      return FourHalves{narrow_pair<T>(pack[0], pack[1]), narrow_pair<T>(pack[2], pack[3])};
    };
    if constexpr (Mfma::steps_at_once<Machine, T> == 2) {
      OperandSegment<T> now[slots];
#pragma unroll
      for (int s = 0; s < slots; ++s) now[s] = {rounded(s, step), rounded(s, step + 1)};
      multiply_across<Machine>(tile, now, right, {k, k + 16}, 0);
    } else {
      FourHalves now[slots];
#pragma unroll
      for (int s = 0; s < slots; ++s) now[s] = rounded(s, step);
      multiply_across<Machine>(tile, now, right, {k}, 0);
    }
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      T now[slots];
#pragma unroll
      for (int s = 0; s < slots; ++s) now[s] = from.value[s][step][i];
      multiply_across<Machine>(tile, now, right, {k + i}, 0);
    }
  }
}

}  // namespace gable::device::tile::warp
