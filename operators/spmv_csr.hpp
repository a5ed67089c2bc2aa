#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "operators/sparse/spmv.hpp"

namespace gable::operators {

/// y = A x, A in compressed rows (CSR) with 4-byte indices: [m,n] with nnz entries, x: [n], y: [m].
/// flop 2nnz; bytes: read (s + 4) nnz + 4 (m + 1) + sn, write sm: of fp64 12nnz + 4 (m + 1) + 8 (m + n). x counts once,
/// though columns far apart read its lines again and again.
struct SpmvCsr : sparse::Spmv {
  static constexpr std::string_view name = "spmv_csr";
  static constexpr std::string_view summary = "y[m] = A[m,n] x[n], A sparse by compressed rows";

  static std::vector<Stage> work(const Params& params, const Types& types) {
    const auto shape = sparse::shape_of(params);
    return work_of(shape, static_cast<double>(shape.rows + 1), types);
  }
  /// Values of a pattern are random, those of a file the file's.
  static std::vector<BufferSpec> buffers(const Params& params, const Types& types) {
    const auto matrix = sparse::matrix_of(params);
    const auto at = [](const auto& list, Index i) { return static_cast<double>(list[static_cast<std::size_t>(i)]); };
    BufferSpec values{"values", matrix->entries(), types.a, Role::input};
    if (!matrix->value.empty()) values.value = [matrix, at](Index i) { return at(matrix->value, i); };
    return {values,
            {"columns", matrix->entries(), DType::int32, Role::input, 0.0, 0.0,
             [matrix, at](Index i) { return at(matrix->column, i); }},
            {"offsets", matrix->rows + 1, DType::int32, Role::input, 0.0, 0.0,
             [matrix, at](Index i) { return at(matrix->offset, i); }},
            {"x", matrix->columns, types.b, Role::input},
            {"y", matrix->rows, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params&, Inputs<S> in, Outputs<S> out) {
    const auto whole = [](const S& number) { return static_cast<std::size_t>(static_cast<double>(number)); };
    for (std::size_t i = 0; i < out[0].size(); ++i) {
      S total = 0.0;
      for (std::size_t k = whole(in[2][i]); k < whole(in[2][i + 1]); ++k) total += in[0][k] * in[3][whole(in[1][k])];
      out[0][i] = total;
    }
  }
};

}  // namespace gable::operators
