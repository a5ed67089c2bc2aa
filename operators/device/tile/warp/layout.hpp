#pragma once
#include <type_traits>

#include "operators/device/storage.hpp"

/// The tile primitive of GPUs: what one warp does. It is written against a Machine, which has the instructions of one
/// kind of GPU (cuda.hpp) as static functions; tests run the same source on an emulated one. No Kokkos here.
namespace gable::device::tile::warp {

inline constexpr int lanes = 32;
/// One asynchronous copy, the widest access of a thread.
inline constexpr int chunk_bytes = 16;
/// An operand's row where it runs along the depth of the product.
inline constexpr int row_bytes = 64;

template <class T>
inline constexpr int per_chunk = chunk_bytes / static_cast<int>(sizeof(T));

/// Where elements lie in a panel whose rows run along the depth: A [row, k], or a transposed B [column, k]; any number
/// of rows of 64 bytes. A row's chunks change places, so that no two threads that read at once meet in a bank: eight
/// neighbouring rows (ldmatrix), rows four apart (fp32, whose threads hold four neighbouring columns), or four rows by
/// 32 bytes (fp64).
template <class T>
struct AlongDepth {
  static constexpr int depth = row_bytes / static_cast<int>(sizeof(T));
  static constexpr int chunks = row_bytes / chunk_bytes;

  GABLE_FUNCTION static constexpr int exchange(int row) {
    if constexpr (sizeof(T) == 8) return 2 * (row >> 1 & 1);
    if constexpr (sizeof(T) == 4) return row >> 2 & 3;
    return row >> 1 & 3;
  }
  /// Offset of element (row, k), k < depth.
  GABLE_FUNCTION static constexpr int at(int row, int k) {
    return row * depth + ((k / per_chunk<T>)^exchange(row)) * per_chunk<T> + k % per_chunk<T>;
  }
};

/// The same for a panel whose rows run across the depth: B [k, column], any number of rows of `columns`.
template <class T, int columns>
struct AcrossDepth {
  static constexpr int chunks = columns / per_chunk<T>;
  static_assert(chunks >= 8);

  GABLE_FUNCTION static constexpr int exchange(int k) {
    if constexpr (sizeof(T) == 8) return 2 * ((k ^ k >> 2) & 3);
    if constexpr (sizeof(T) == 4) return 0;
    return k & 7;
  }
  GABLE_FUNCTION static constexpr int at(int k, int column) {
    return k * columns + ((column / per_chunk<T>)^exchange(k)) * per_chunk<T> + column % per_chunk<T>;
  }
};

/// Which elements of a tile a lane holds: `slots` of its rows, and of each of these `packed` neighbours in every
/// `stride` columns. For the matrix units this is the accumulator of mma.sync (PTX ISA, "Matrix Fragments for
/// mma.m16n8k16" and "for mma.m8n8k4"); fp32, which they do not have, is multiplied lane by lane.
template <class T>
struct Held {
  static constexpr int across = std::is_same_v<T, float> ? 8 : 4;  ///< lanes that share a row
  static constexpr int packed = std::is_same_v<T, float> ? 4 : 2;
  static constexpr int down = lanes / across;
  static constexpr int stride = across * packed;

  GABLE_FUNCTION static constexpr int row(int lane, int slot) { return down * slot + lane / across; }
  GABLE_FUNCTION static constexpr int column(int lane, int pack) { return stride * pack + packed * (lane % across); }
};

/// The row of eight elements whose address a lane gives to a load of four 8 x 8 matrices of 2-byte elements (PTX ISA,
/// "ldmatrix": lanes 8i to 8i + 7 those of matrix i), relative to the fragment's first element.
struct MatrixRow {
  int outer, inner;  ///< as the panel's at()
};
/// Left operand, 16 rows by depth 16: rows 0-7 and 8-15 of the first eight k, then of the others.
GABLE_FUNCTION constexpr MatrixRow left_matrix_row(int lane) { return {lane % 16, 8 * (lane / 16)}; }
/// Right operand along the depth, 16 columns by depth 16: both halves of the depth for columns 0-7, then for 8-15.
GABLE_FUNCTION constexpr MatrixRow right_along_row(int lane) {
  return {lane % 8 + 8 * (lane / 16), 8 * (lane / 8 % 2)};
}
/// Right operand across the depth, transposed while loading: the same matrices.
GABLE_FUNCTION constexpr MatrixRow right_across_row(int lane) { return {lane % 16, 8 * (lane / 16)}; }

}  // namespace gable::device::tile::warp
