#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"
#include "operators/sparse/matrix.hpp"

namespace gable::operators::sparse {

/// What the formats of a sparse matrix-vector product y = A x share; A: [m,n] with nnz entries, x: [n], y: [m].
struct Spmv {
  using Params = sparse::Params;
  static constexpr std::array fields{
      Field{"matrix", &Params::matrix, "banded, stencil5, stencil27, random, or a MatrixMarket file"},
      Field{"rows", &Params::rows, "rows and columns (of a file: 1)"},
      Field{"per_row", &Params::per_row, "entries of a row (of a file: 1)"}};

  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static std::vector<Types> types() { return wide_types(); }
  static void check(const Params& params) { sparse::check(params); }
  /// In main memory random columns, the hard case, and a stencil's matrix; bands of 32 in cache and there too.
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    constexpr Index per_row = 32;
    const double s = size_bytes(types.a), row = per_row * (s + 4) + 4 + 2 * s;
    std::vector<Params> list;
    for (double bytes : working_sets(device)) {
      list.push_back({"banded", std::max(per_row, static_cast<Index>(bytes / row)), per_row});
    }
    const Index rows = list.back().rows;
    const auto side = static_cast<Index>(std::cbrt(static_cast<double>(rows) * row / (27 * (s + 4) + 4 + 2 * s)));
    list.insert(list.begin() + 1, {{"random", rows, per_row}, {"stencil27", side * side * side, 27}});
    return list;
  }
  static std::vector<Params> conformance_params() {
    return {{"banded", 1, 1},     {"stencil5", 49, 5},    {"banded", 1001, 7}, {"random", 77, 13},
            {"random", 2003, 64}, {"stencil27", 729, 27}, {"banded", 64, 64},  {"stencil5", 10000, 5}};
  }
  /// The longest rows that the patterns have, or all of a file in one.
  static double tolerance(const Params& params, const Types& types) {
    const Index longest = params.matrix.ends_with(".mtx") ? shape_of(params).entries : params.per_row;
    return rounding_tolerance(types, std::sqrt(static_cast<double>(longest)) + 1);
  }

 protected:
  /// 2 nnz flop; reads nnz values, nnz 4-byte columns, x and `integers` further 4-byte numbers, writes y.
  static std::vector<Stage> work_of(const Shape& shape, double integers, const Types& types) {
    const auto entries = static_cast<double>(shape.entries);
    Stage stage = product_stage(2 * entries, entries + static_cast<double>(shape.columns),
                                static_cast<double>(shape.rows), types);
    stage.bytes_read += 4 * (entries + integers);
    stage.working_set += 4 * (entries + integers);
    return {stage};
  }
};

}  // namespace gable::operators::sparse
