#pragma once
#include <utility>

#include "operators/common.hpp"

namespace gable::operators {

/// What operators share that make of each row of x the row of y, with vectors beside it that all rows share; x, y:
/// [m,n], by rows, vectors: [n]. bytes: read mn s and ns a vector, write mn s (each row is read once from memory as
/// long as it stays in cache).
struct RowOperator {
  using Params = MatrixSize;
  static constexpr std::array fields{Field{"m", &Params::m, "rows"}, Field{"n", &Params::n, "length of a row"}};

  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, 2 * size_bytes(types.a));
  }
  /// From 1016 on rows that each form of a GPU's block holds (device/tile/gpu_rows.hpp): filled, with room, and one
  /// pack too long (2-byte types: 16392).
  static std::vector<Params> conformance_params() {
    return {{1, 1},    {3, 5},    {64, 32},  {17, 1001}, {129, 512}, {5, 1016}, {7, 2048},
            {3, 4080}, {3, 8184}, {2, 8192}, {2, 16384}, {2, 16392}, {2, 70001}};
  }

 protected:
  /// One launch: flop, exponentials and vectors of a row.
  static std::vector<Stage> row_work(const Params& p, const Types& types, double flops, double exponentials,
                                     double vectors) {
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    return {streaming_stage(m * flops, m * exponentials, m * n + vectors * n, m * n, types)};
  }
  /// x with values from low to high, the shared vectors, y.
  static std::vector<BufferSpec> row_buffers(const Params& p, const Types& types, double low, double high,
                                             std::vector<BufferSpec> vectors = {}) {
    std::vector<BufferSpec> list{{"x", p.m * p.n, types.a, Role::input, low, high}};
    for (auto& vector : vectors) list.push_back(std::move(vector));
    list.push_back({"y", p.m * p.n, types.out, Role::output});
    return list;
  }
};

}  // namespace gable::operators
