#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i,j] = exp(x[i,j] - max_k x[i,k]) / sum_k exp(x[i,k] - max); x, y: [m,n], by rows.
/// flop 5mn (max, subtract, exp as 1, add, divide); exponentials mn; bytes: read mn s, write mn s (each row is read
/// once from memory as long as it stays in cache).
struct Softmax {
  static constexpr std::string_view name = "softmax";
  static constexpr std::string_view summary = "y[m,n] = exp(x - max(x)) / sum(exp(x - max(x))) along n";
  struct Params {
    Index m, n;
  };
  static constexpr std::array fields{Field{"m", &Params::m, "rows"}, Field{"n", &Params::n, "length of a row"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, 2 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {129, 512}, {2, 70001}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
    return {streaming_stage(5 * elements, elements, elements, elements, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.m * p.n, types.a, Role::input, -8.0, 8.0}, {"y", p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::exp;
    using std::max;
    for (Index i = 0; i < p.m; ++i) {
      S largest = -std::numeric_limits<double>::infinity();
      S total = 0.0;
      for (Index j = 0; j < p.n; ++j) largest = max(largest, in[0][i * p.n + j]);
      for (Index j = 0; j < p.n; ++j) {
        out[0][i * p.n + j] = exp(in[0][i * p.n + j] - largest);
        total += out[0][i * p.n + j];
      }
      for (Index j = 0; j < p.n; ++j) out[0][i * p.n + j] = out[0][i * p.n + j] / total;
    }
  }
  /// The subtraction's rounding (|x - max| <= 16) enters the exponent; results are at most 1 and of order 1/n.
  static double tolerance(const Params& p, const Types& types) {
    return std::min(1.0, 16.0 / static_cast<double>(p.n)) * rounding_tolerance(types, 64);
  }
};

}  // namespace gable::operators
