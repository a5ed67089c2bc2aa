#pragma once
#include <cmath>

#include "operators/row_operator.hpp"

namespace gable::operators {

/// y[i,j] = (x[i,j] - mean_i) / sqrt(var_i + 1e-5) gamma[j] + beta[j], mean and (biased) variance of row i; x, y:
/// [m,n], gamma, beta: [n]. flop 8mn + 5m (sum; subtract, square, add; subtract, scale, gamma, beta; five for mean,
/// variance, epsilon, root, reciprocal); bytes: read (mn + 2n)s, write mn s (each row is read once from memory as long
/// as it stays in cache, else twice).
struct Layernorm : RowOperator {
  static constexpr std::string_view name = "layernorm";
  static constexpr std::string_view summary = "y[m,n] = (x - mean(x)) / sqrt(var(x) + 1e-5) gamma[n] + beta[n] along n";
  static constexpr double epsilon = 1e-5;

  static std::vector<Stage> work(const Params& p, const Types& types) {
    return row_work(p, types, 8 * static_cast<double>(p.n) + 5, 0, 2);
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return row_buffers(p, types, -1.0, 3.0,
                       {{"gamma", p.n, types.b, Role::input, 0.5, 1.5}, {"beta", p.n, types.b, Role::input}});
  }
  /// One row: 8n + 5 flop.
  template <class S>
  static void normalise(const S* x, const S* gamma, const S* beta, S* y, Index n) {
    using std::sqrt;
    const S count = static_cast<double>(n);
    S total = 0.0;
    S squares = 0.0;
    for (Index j = 0; j < n; ++j) total += x[j];
    const S mean = total / count;
    for (Index j = 0; j < n; ++j) {
      const S centred = x[j] - mean;
      squares += centred * centred;
    }
    const S scale = S(1.0) / sqrt(squares / count + S(epsilon));
    for (Index j = 0; j < n; ++j) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m; ++i) {
      normalise(in[0].data() + i * p.n, in[1].data(), in[2].data(), out[0].data() + i * p.n, p.n);
    }
  }
  /// A row of one or few close values is scaled by up to 1/sqrt(epsilon), 316, and its rounding errors with it.
  static double tolerance(const Params& p, const Types& types) {
    return 4 * rounding_tolerance(types, p.n < 16 ? 1000 : 16);
  }
};

}  // namespace gable::operators
