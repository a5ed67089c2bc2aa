#pragma once

/// Which elements of a matrix instruction's operands and result a lane holds. Plain data, so that a test compares them
/// with AMD's tables.
namespace gable::gpu {

/// Row of A, or column of B, of an instruction with `side` of them.
constexpr int operand_row(int lane, int side) { return lane % side; }
/// Depth of element `element` of the `elements` neighbours in depth that a lane brings. `groups` of `side` lanes divide
/// the depth; further lanes repeat the first (RDNA3: 1, both halves of a wave bring the same).
constexpr int operand_k(int lane, int element, int side, int groups, int elements) {
  return lane / side % groups * elements + element;
}

/// Row of an element of the result, whose column is lane modulo its side. v_mfma with 32 rows and columns, summed in 32
/// bits: sixteen elements, in groups of four rows (AMD Instinct MI300 Instruction Set Architecture, matrix arithmetic
/// instructions, and AMD's matrix instruction calculator).
constexpr int mfma32_row(int lane, int element) { return element / 4 * 8 + lane / 32 * 4 + element % 4; }
/// v_mfma_f64_16x16x4: four elements, in steps of four rows.
constexpr int mfma_fp64_row(int lane, int element) { return element * 4 + lane / 16; }
/// v_wmma of RDNA3 on 32 lanes: lanes 0 to 15 hold the even rows, 16 to 31 the odd ones (RDNA3 Instruction Set
/// Architecture, wave matrix multiply accumulate).
constexpr int wmma_row(int lane, int element) { return 2 * element + lane / 16; }

}  // namespace gable::gpu
