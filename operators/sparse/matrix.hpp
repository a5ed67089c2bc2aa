#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/operator.hpp"

namespace gable::operators::sparse {

/// A sparse matrix row by row: the columns of row i are column[offset[i]] to column[offset[i + 1]], ascending.
struct Matrix {
  Index rows{}, columns{};
  std::vector<std::int32_t> offset;  ///< rows + 1
  std::vector<std::int32_t> column;  ///< an entry each
  std::vector<double> value;         ///< an entry each; empty: only the pattern is given, values are random

  Index entries() const { return static_cast<Index>(column.size()); }
};

/// Which matrix an operator runs with:
///   banded      rows x rows, per_row neighbouring entries about the diagonal
///   stencil5    grid of rows = g x g points, a point and its four neighbours; per_row is 5
///   stencil27   grid of rows = g x g x g points, a point and the 26 around it; per_row is 27
///   random      rows x rows, one uniformly random column in each of per_row equal parts of a row
///   FILE.mtx    a MatrixMarket file, with rows=1,per_row=1
struct Params {
  std::string matrix;
  Index rows, per_row;
};

bool is_file(const Params& params);

struct Shape {
  Index rows, columns, entries;
};

/// Throws Error naming what does not go together: an unknown matrix, a band wider than the matrix, a grid that is no
/// square or cube, more than 2^31 - 1 entries, sizes beside a file.
void check(const Params& params);

/// Of a pattern by its formula, of a file by reading it. Throws as check() and read_matrix_market().
Shape shape_of(const Params& params);
/// Entries of each row, without making the matrix of a pattern. Throws as shape_of().
std::vector<std::int32_t> row_lengths(const Params& params);
std::shared_ptr<const Matrix> matrix_of(const Params& params);

/// Reads a MatrixMarket file (https://math.nist.gov/MatrixMarket/formats.html): coordinate; real, integer or pattern
/// (ones); general, symmetric or skew-symmetric, whose other half is filled in. Entries named twice stay two. Throws
/// Error with file and line for anything else: another kind, an index outside of the matrix, too few or too many
/// entries.
Matrix read_matrix_market(const std::string& path);

/// Rows of a slice: a vector register or more of a CPU, a warp of a GPU.
inline constexpr Index slice_rows = 32;
/// Rows that are sorted by length together.
inline constexpr Index sorted_rows = 1024;

/// Where SELL-C-sigma (Kreutzer et al. 2014) stores rows, C = slice_rows, sigma = sorted_rows: within every sigma rows
/// the long ones come first; every C of them are a slice, as wide as its longest row, stored column after column. Entry
/// k of the r-th row of slice s is at offset[s] + C k + r.
struct Slices {
  std::vector<std::int32_t> offset;  ///< of slices, and the end of the last one
  std::vector<std::int32_t> row;     ///< of the matrix, for C rows of every slice; -1 beyond the last one

  Index count() const { return static_cast<Index>(offset.size()) - 1; }
  Index entries() const { return offset.back(); }  ///< with those that pad rows
};

/// Of a matrix whose rows have these lengths. Throws Error if padding makes more than 2^31 - 1 entries.
Slices slices_of(const std::vector<std::int32_t>& lengths);

/// A matrix in slices.
struct Sell {
  Slices slices;
  std::vector<std::int32_t> column;  ///< -1 behind the end of a row
  std::vector<double> value;         ///< 0 behind the end of a row; of a pattern random in [-1, 1)
};

/// Throws Error as slices_of().
std::shared_ptr<const Sell> sell_of(const Matrix& matrix);

}  // namespace gable::operators::sparse
