#pragma once

/// Which row of a matrix instruction's result a register of a lane holds; its column is lane modulo the result's side.
/// Plain data, so that a test compares them with AMD's tables.
namespace gable::gpu {

/// v_mfma with 32 rows and columns, summed in 32 bits: sixteen elements, in groups of four rows (AMD Instinct MI300
/// Instruction Set Architecture, matrix arithmetic instructions, and AMD's matrix instruction calculator).
constexpr int mfma32_row(int lane, int element) { return element / 4 * 8 + lane / 32 * 4 + element % 4; }
/// v_mfma_f64_16x16x4: four elements, in steps of four rows.
constexpr int mfma_fp64_row(int lane, int element) { return element * 4 + lane / 16; }
/// v_wmma of RDNA3 on 32 lanes: lanes 0 to 15 hold the even rows, 16 to 31 the odd ones (RDNA3 Instruction Set
/// Architecture, wave matrix multiply accumulate).
constexpr int wmma_row(int lane, int element) { return 2 * element + lane / 16; }

}  // namespace gable::gpu
