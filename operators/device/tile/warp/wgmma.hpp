#pragma once
#include <cstdint>
#include <type_traits>

#include "operators/device/tile/warp/mma.hpp"

namespace gable::device::tile::warp {

/// The form of Hopper's products: a warpgroup of four warps multiplies 64 rows of A by 256 columns of B, both read from
/// scratch by the matrix unit itself (PTX ISA, "wgmma.mma_async"): m64n256k16 of 2-byte types, m64n256k32 of types of
/// one byte. A warp holds 16 of the 64 rows, its lanes as those of mma.sync hold theirs. Instructions run while threads
/// go on; those of one stage are waited for when those of the next are begun.
///
/// Panels are what the descriptors call a swizzle of 128 bytes: rows of 128 bytes whose segment s of row r lies at
/// place s xor (r modulo 8).
struct Wgmma : Mma {
  static constexpr int row_bytes = 128;
  static constexpr int scratch_alignment = 1024;  ///< the swizzle repeats every eight rows
  static constexpr int product_columns = 256;
  /// Four are 192 KiB. With two stages there would be none to copy into while two are multiplied.
  template <class T>
  static constexpr int least_stages = 3;
  template <class T>
  static constexpr int most_stages = 4;
  static constexpr int behind = 1;
  static constexpr int group_warps = 4, group_rows = 64;
  template <class T>
  static constexpr int product_warp_rows = 16;
  template <class T>
  static constexpr int product_warps = 8;
  template <class T, bool>
  static constexpr int product_blocks = 1;  ///< 128 sums a thread

  template <class T>
  GABLE_FUNCTION static constexpr int place_along(int row, int segment) {
    return segment ^ (row & 7);
  }

  /// Whether it multiplies operands of this type: 2-byte types, and types of one byte both of which run along the
  /// depth.
  template <class T, bool left_across, bool right_across>
  static constexpr bool multiplies = std::is_same_v<T, Fp16> || std::is_same_v<T, Bf16> ||
                                     (sizeof(T) == 1 && !left_across && !right_across);
};

/// A panel across the depth: blocks of 128 bytes of columns, one behind the other, each a row for every k of the panel.
template <class T, int columns>
struct AcrossDepth<Wgmma, T, columns> {
  static constexpr int segments = columns / per_segment<T>;
  static constexpr int width = Wgmma::row_bytes / static_cast<int>(sizeof(T));  ///< of a block
  static constexpr int depth = AlongDepth<Wgmma, T>::depth;
  static_assert(columns % width == 0);

  GABLE_FUNCTION static constexpr int at(int k, int column) {
    return column / width * (width * depth) +
           AlongDepth<Wgmma, T>::at(k, column % width);  // a row of a block is one of 128 bytes, too
  }
};

/// What tells wgmma where an operand lies (PTX ISA, "Matrix Descriptor Format"): address / 16 of 18 bits in bits 0-13,
/// "leading" and "stride" offsets / 16 in bits 16-29 and 32-45, the swizzle of 128 bytes in bits 62-63. `address` in
/// the window of shared memory; a matrix starts at a multiple of 1024 bytes.
///
/// Along the depth a step of it is 32 bytes of each row, and nothing reads the leading offset. Across it a step is the
/// rows of as many k, and the leading offset goes from a block of columns to the next. The stride is eight rows.
template <class T, bool across_>
class GroupOperand {
 public:
  static constexpr bool across = across_;

  GABLE_FUNCTION explicit GroupOperand(std::uint32_t address)
      : low_((address & 0x3ffffU) >> 4 | std::uint32_t{leading / 16} << 16) {}
  /// Of step `i` of the depth; 14 bits of address hold all of them.
  GABLE_FUNCTION std::uint64_t descriptor(int i) const {
    constexpr std::uint32_t high = 1U << 30 | std::uint32_t{stride / 16};
    return std::uint64_t{high} << 32 | (low_ + static_cast<std::uint32_t>(i * step / 16));
  }

 private:
  static constexpr int stride = 8 * Wgmma::row_bytes;
  static constexpr int leading = across ? AlongDepth<Wgmma, T>::depth * Wgmma::row_bytes : 16;
  static constexpr int step = across ? Mma::step_depth<T> * Wgmma::row_bytes : 32;
  std::uint32_t low_;
};
/// 64 rows of a left operand from `row` on, a multiple of 64; all columns of a right one.
template <class Machine, class T>
GABLE_FUNCTION GroupOperand<T, false> group_operand(const T* left, int row) {
  return GroupOperand<T, false>(Machine::address(left) + static_cast<std::uint32_t>(row * Wgmma::row_bytes));
}
template <class Machine, class T, int width>
GABLE_FUNCTION GroupOperand<T, true> group_operand(const LeftAcross<Wgmma, T, width>& left, int row) {
  return GroupOperand<T, true>(Machine::address(left.at(0, row)));
}
template <class Machine, class T>
GABLE_FUNCTION GroupOperand<T, false> group_operand(const RightAlong<Wgmma, T>& right) {
  return GroupOperand<T, false>(Machine::address(right.panel));
}
template <class Machine, class T, int width>
GABLE_FUNCTION GroupOperand<T, true> group_operand(const RightAcross<Wgmma, T, width>& right) {
  return GroupOperand<T, true>(Machine::address(right.panel));
}

/// tile += left x right over a panel's depth, for rows [row, row + 16) of the left panel, together with the other warps
/// of the group, whose rows are the others of the same 64. When it returns the instructions may still be under way,
/// those begun by the call before are done.
template <class Machine, class T, int rows, int columns, class LeftPanel, class Right>
GABLE_FUNCTION void multiply(Accumulator<Wgmma, T, rows, columns>& tile, const LeftPanel& left, int row,
                             const Right& right, int) {
  static_assert(rows == 16 && columns == Wgmma::product_columns);
  const auto a = group_operand<Machine>(left, row / Wgmma::group_rows * Wgmma::group_rows);
  const auto b = group_operand<Machine>(right);
  using A = decltype(a);
  using B = decltype(b);
  Machine::begin_products();
#pragma unroll
  for (int i = 0; i < AlongDepth<Wgmma, T>::depth / Mma::step_depth<T>; ++i) {
    Machine::template multiply_group<T, A::across, B::across>(tile.value, a.descriptor(i), b.descriptor(i));
  }
  Machine::commit_products();
  Machine::template wait_products<1>();
}
/// Waits for all instructions.
template <class Machine, class T, int rows, int columns>
GABLE_FUNCTION void finish(Accumulator<Wgmma, T, rows, columns>& tile) {
  Machine::template wait_products<0>();
  Machine::take_products(tile.value);
}

/// tile += left x right over a panel's depth, or tile = left x right; the left operand is in registers, rows as above,
/// one element of `left` a step. Between begin_products() and commit_products().
template <class Machine, class T, int columns, class Right>
GABLE_FUNCTION void multiply_held(Accumulator<Wgmma, T, 16, columns>& tile, const Left<T, 16>* left, const Right& right,
                                  bool add) {
  const auto b = group_operand<Machine>(right);
#pragma unroll
  for (int i = 0; i < AlongDepth<Wgmma, T>::depth / Mma::step_depth<T>; ++i) {
    Machine::template multiply_group<T, decltype(b)::across>(tile.value, left[i].value[0], b.descriptor(i),
                                                             add || i > 0);
  }
}

}  // namespace gable::device::tile::warp
