#pragma once
#include <algorithm>
#include <cmath>
#include <future>
#include <memory>
#include <utility>

#include "operators/common.hpp"
#include "operators/sparse/matrix.hpp"

namespace gable::operators::sparse {

/// Made when it is first asked for, by whichever thread: whoever only plans a run needs sizes, not gigabytes of
/// entries.
template <class Make>
auto on_demand(Make make) {
  return std::async(std::launch::deferred, std::move(make)).share();
}

/// What the formats of a sparse matrix-vector product y = A x share; A: [m,n] with nnz entries, x: [n], y: [m].
struct Spmv {
  using Params = sparse::Params;
  static constexpr std::array fields{
      Field{"matrix", &Params::matrix, "banded, stencil5, stencil27, random, or a MatrixMarket file"},
      Field{"rows", &Params::rows, "rows and columns (of a file: 1)"},
      Field{"per_row", &Params::per_row, "entries of a row (of a file: 1)"}};

  static std::vector<Types> types() { return wide_types(); }
  static void check(const Params& params) { sparse::check(params); }
  /// In main memory random columns, the hard case, and a stencil's matrix; bands of 32 in cache and there too.
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    constexpr Index per_row = 32;
    const double s = size_bytes(types.a), row = per_row * (s + 4) + 4 + 2 * s;
    auto list = for_working_sets<Params>(device, [&](double bytes) {
      return Params{"banded", std::max(per_row, static_cast<Index>(bytes / row)), per_row};
    });
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
    const Index longest = is_file(params) ? shape_of(params).entries : params.per_row;
    return rounding_tolerance(types, std::sqrt(static_cast<double>(longest)) + 1);
  }

 protected:
  /// 2 nnz flop; reads nnz values, nnz 4-byte columns, x and `integers` further 4-byte numbers, writes y. Lines at
  /// random: where columns are, nnz of x; those of a file are not known.
  static std::vector<Stage> work_of(const Params& params, const Shape& shape, double integers, const Types& types) {
    constexpr double page_bytes = 4096;  // in less than that of x a row's entry is near the same one of the row before
    const auto entries = static_cast<double>(shape.entries);
    Stage stage = product_stage(2 * entries, entries + static_cast<double>(shape.columns),
                                static_cast<double>(shape.rows), types);
    stage.bytes_read += 4 * (entries + integers);
    stage.working_set += 4 * (entries + integers);
    const double x_bytes = static_cast<double>(shape.columns) * size_bytes(types.b);
    if (params.matrix == "random" && x_bytes >= page_bytes * static_cast<double>(params.per_row)) {
      stage.random_lines = entries;
      stage.random_span = x_bytes;
    }
    return {stage};
  }
};

}  // namespace gable::operators::sparse

namespace gable::operators {

/// y = A x, A in compressed rows (CSR) with 4-byte indices: [m,n] with nnz entries, x: [n], y: [m].
/// flop 2nnz; bytes: read (s + 4) nnz + 4 (m + 1) + sn, write sm: of fp64 12nnz + 4 (m + 1) + 8 (m + n). x counts once,
/// though columns far apart read its lines again and again.
struct SpmvCsr : sparse::Spmv {
  static constexpr std::string_view name = "spmv_csr";
  static constexpr std::string_view summary = "y[m] = A[m,n] x[n], A sparse by compressed rows";

  static std::vector<Stage> work(const Params& params, const Types& types) {
    const auto shape = sparse::shape_of(params);
    return work_of(params, shape, static_cast<double>(shape.rows + 1), types);
  }
  /// Values of a pattern are random, those of a file the file's.
  static std::vector<BufferSpec> buffers(const Params& params, const Types& types) {
    const auto shape = sparse::shape_of(params);
    const auto matrix = sparse::on_demand([params] { return sparse::matrix_of(params); });
    const auto at = [](const auto& list, Index i) { return static_cast<double>(list[static_cast<std::size_t>(i)]); };
    BufferSpec values{"values", shape.entries, types.a, Role::input};
    if (sparse::is_file(params)) values.value = [matrix, at](Index i) { return at(matrix.get()->value, i); };
    return {values,
            {"columns", shape.entries, DType::int32, Role::input, 0.0, 0.0,
             [matrix, at](Index i) { return at(matrix.get()->column, i); }},
            {"offsets", shape.rows + 1, DType::int32, Role::input, 0.0, 0.0,
             [matrix, at](Index i) { return at(matrix.get()->offset, i); }},
            {"x", shape.columns, types.b, Role::input},
            {"y", shape.rows, types.out, Role::output}};
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

/// y = A x, A in slices of 32 rows of like length (SELL-32-1024, sparse/matrix.hpp) with 4-byte indices: [m,n] with nnz
/// entries, x: [n], y: [m].
/// flop 2nnz; bytes: read (s + 4) nnz + 4 (m/32 + 1) + 4m for the order of the rows + sn, write sm. What pads slices is
/// moved, too, but no work.
struct SpmvSell : sparse::Spmv {
  static constexpr std::string_view name = "spmv_sell";
  static constexpr std::string_view summary = "y[m] = A[m,n] x[n], A sparse by slices of 32 sorted rows";

  static std::vector<Stage> work(const Params& params, const Types& types) {
    const auto shape = sparse::shape_of(params);
    const Index slices = (shape.rows + sparse::slice_rows - 1) / sparse::slice_rows;
    return work_of(params, shape, static_cast<double>(slices + 1 + shape.rows), types);
  }
  static std::vector<BufferSpec> buffers(const Params& params, const Types& types) {
    const auto shape = sparse::shape_of(params);
    const auto slices = std::make_shared<const sparse::Slices>(sparse::slices_of(sparse::row_lengths(params)));
    const auto sell = sparse::on_demand([params] { return sparse::sell_of(*sparse::matrix_of(params)); });
    const auto at = [](const auto& list, Index i) { return static_cast<double>(list[static_cast<std::size_t>(i)]); };
    return {{"values", slices->entries(), types.a, Role::input, 0.0, 0.0,
             [sell, at](Index i) { return at(sell.get()->value, i); }},
            {"columns", slices->entries(), DType::int32, Role::input, 0.0, 0.0,
             [sell, at](Index i) { return at(sell.get()->column, i); }},
            {"offsets", slices->count() + 1, DType::int32, Role::input, 0.0, 0.0,
             [slices, at](Index i) { return at(slices->offset, i); }},
            {"order", slices->count() * sparse::slice_rows, DType::int32, Role::input, 0.0, 0.0,
             [slices, at](Index i) { return at(slices->row, i); }},
            {"x", shape.columns, types.b, Role::input},
            {"y", shape.rows, types.out, Role::output}};
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
