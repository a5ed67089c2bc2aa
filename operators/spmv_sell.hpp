#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "operators/sparse/sell.hpp"
#include "operators/sparse/spmv.hpp"

namespace gable::operators {

/// y = A x, A in slices of 32 rows of like length (SELL-32-1024, sparse/sell.hpp) with 4-byte indices: [m,n] with nnz
/// entries, x: [n], y: [m].
/// flop 2nnz; bytes: read (s + 4) nnz + 4 (m/32 + 1) + 4m for the order of the rows + sn, write sm. What pads slices is
/// moved, too, but no work.
struct SpmvSell : sparse::Spmv {
  static constexpr std::string_view name = "spmv_sell";
  static constexpr std::string_view summary = "y[m] = A[m,n] x[n], A sparse by slices of 32 sorted rows";

  static std::vector<Stage> work(const Params& params, const Types& types) {
    const auto shape = sparse::shape_of(params);
    const Index slices = (shape.rows + sparse::slice_rows - 1) / sparse::slice_rows;
    return work_of(shape, static_cast<double>(slices + 1 + shape.rows), types);
  }
  static std::vector<BufferSpec> buffers(const Params& params, const Types& types) {
    const auto sell = sparse::sell_of(*sparse::matrix_of(params));
    const auto at = [](const auto& list, Index i) { return static_cast<double>(list[static_cast<std::size_t>(i)]); };
    const auto stored = static_cast<Index>(sell->column.size());
    return {
        {"values", stored, types.a, Role::input, 0.0, 0.0, [sell, at](Index i) { return at(sell->value, i); }},
        {"columns", stored, DType::int32, Role::input, 0.0, 0.0, [sell, at](Index i) { return at(sell->column, i); }},
        {"offsets", sell->slices() + 1, DType::int32, Role::input, 0.0, 0.0,
         [sell, at](Index i) { return at(sell->offset, i); }},
        {"order", sell->slices() * sparse::slice_rows, DType::int32, Role::input, 0.0, 0.0,
         [sell, at](Index i) { return at(sell->row, i); }},
        {"x", sell->columns, types.b, Role::input},
        {"y", sell->rows, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params&, Inputs<S> in, Outputs<S> out) {
    const auto whole = [](const S& number) { return static_cast<std::int64_t>(static_cast<double>(number)); };
    const auto c = sparse::slice_rows;
    for (std::size_t r = 0; r < in[3].size(); ++r) {
      if (whole(in[3][r]) < 0) continue;
      const std::size_t slice = r / static_cast<std::size_t>(c);
      S total = 0.0;
      for (std::int64_t k = whole(in[2][slice]) + static_cast<Index>(r) % c; k < whole(in[2][slice + 1]); k += c) {
        const auto entry = static_cast<std::size_t>(k);
        if (whole(in[1][entry]) >= 0) total += in[0][entry] * in[4][static_cast<std::size_t>(whole(in[1][entry]))];
      }
      out[0][static_cast<std::size_t>(whole(in[3][r]))] = total;
    }
  }
};

}  // namespace gable::operators
