#pragma once
#include <cmath>

#include "operators/row_operator.hpp"

namespace gable::operators {

/// y[i,j] = x[i,j] / sqrt(mean_k(x[i,k]^2) + 1e-5) gamma[j] (Zhang, Sennrich, "Root Mean Square Layer Normalization",
/// 2019); x, y: [m,n], gamma: [n]. flop 4mn + 4m (square, add; scale, gamma; four for mean, epsilon, root, reciprocal);
/// bytes: read (mn + n)s, write mn s (each row is read once from memory as long as it stays in cache, else twice).
struct Rmsnorm : RowOperator {
  static constexpr std::string_view name = "rmsnorm";
  static constexpr std::string_view summary = "y[m,n] = x / sqrt(mean(x^2) + 1e-5) gamma[n] along n";
  static constexpr double epsilon = 1e-5;

  static std::vector<Stage> work(const Params& p, const Types& types) {
    return row_work(p, types, 4 * static_cast<double>(p.n) + 4, 0, 1);
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return row_buffers(p, types, -1.0, 3.0, {{"gamma", p.n, types.b, Role::input, 0.5, 1.5}});
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::sqrt;
    for (Index i = 0; i < p.m; ++i) {
      S squares = 0.0;
      for (Index j = 0; j < p.n; ++j) squares += in[0][i * p.n + j] * in[0][i * p.n + j];
      const S scale = S(1.0) / sqrt(squares / S(static_cast<double>(p.n)) + S(epsilon));
      for (Index j = 0; j < p.n; ++j) out[0][i * p.n + j] = in[0][i * p.n + j] * scale * in[1][j];
    }
  }
  static double tolerance(const Params&, const Types& types) { return 4 * rounding_tolerance(types, 16); }
};

}  // namespace gable::operators
