#pragma once
#include "operators/common.hpp"

namespace gable::operators {

/// y = A x; A: [m,n] row-major, x: [n], y: [m].
/// flop 2mn; bytes: read (mn + n)s, write m s. Intensity towards 2/s.
struct Gemv {
  static constexpr std::string_view name = "gemv";
  static constexpr std::string_view summary = "y[m] = A[m,n] x[n]";
  using Params = MatrixSize;
  static constexpr std::array fields{Field{"m", &Params::m, "rows of A"}, Field{"n", &Params::n, "columns of A"}};

  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {129, 512}, {2, 70001}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    return {product_stage(2 * m * n, m * n + n, m, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {
        {"a", p.m * p.n, types.a, Role::input}, {"x", p.n, types.b, Role::input}, {"y", p.m, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m; ++i) {
      S total = 0.0;
      for (Index j = 0; j < p.n; ++j) total += in[0][i * p.n + j] * in[1][j];
      out[0][i] = total;
    }
  }
  /// n roundings of partial sums that grow like the square root of n.
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, static_cast<double>(p.n));
  }
};

}  // namespace gable::operators
