#pragma once
#include <string>

#include "operators/sparse/matrix.hpp"

namespace gable::operators::sparse {

/// Reads a MatrixMarket file (https://math.nist.gov/MatrixMarket/formats.html): coordinate; real, integer or pattern
/// (ones); general, symmetric or skew-symmetric, whose other half is filled in. Entries named twice stay two. Throws
/// Error with file and line for anything else: another kind, an index outside of the matrix, too few or too many
/// entries.
Matrix read_matrix_market(const std::string& path);

}  // namespace gable::operators::sparse
