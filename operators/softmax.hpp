#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "operators/row_operator.hpp"

namespace gable::operators {

/// y[i,j] = exp(x[i,j] - max_k x[i,k]) / sum_k exp(x[i,k] - max); x, y: [m,n], by rows.
/// flop 5mn (max, subtract, exp as 1, add, divide); exponentials mn; bytes: read mn s, write mn s (each row is read
/// once from memory as long as it stays in cache).
struct Softmax : RowOperator {
  static constexpr std::string_view name = "softmax";
  static constexpr std::string_view summary = "y[m,n] = exp(x - max(x)) / sum(exp(x - max(x))) along n";

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return row_work(p, types, 5 * n, n, 0);
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return row_buffers(p, types, -8.0, 8.0);
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
