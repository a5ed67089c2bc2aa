#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "operators/sparse/matrix.hpp"

namespace gable::operators::sparse {

/// Rows of a slice: a vector register or more of a CPU, a warp of a GPU.
inline constexpr Index slice_rows = 32;
/// Rows that are sorted by length together.
inline constexpr Index sorted_rows = 1024;

/// SELL-C-sigma (Kreutzer et al. 2014), C = slice_rows, sigma = sorted_rows: within every sigma rows the long ones come
/// first; every C of them are a slice, as wide as its longest row, stored column after column. Entry k of the r-th row
/// of slice s is at offset[s] + C k + r.
struct Sell {
  Index rows{}, columns{}, entries{};
  std::vector<std::int32_t> offset;  ///< of slices, and the end of the last one
  std::vector<std::int32_t> row;     ///< of the matrix, for C rows of every slice; -1 beyond the last one
  std::vector<std::int32_t> column;  ///< -1 behind the end of a row
  std::vector<double> value;         ///< 0 behind the end of a row; of a pattern random in [-1, 1)

  Index slices() const { return static_cast<Index>(offset.size()) - 1; }
};

/// Throws Error if padding makes more than 2^31 - 1 entries.
std::shared_ptr<const Sell> sell_of(const Matrix& matrix);

}  // namespace gable::operators::sparse
