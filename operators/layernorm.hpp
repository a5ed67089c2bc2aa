#pragma once
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i,j] = (x[i,j] - mean_i) / sqrt(var_i + 1e-5) gamma[j] + beta[j], mean and (biased) variance of row i; x, y:
/// [m,n], gamma, beta: [n]. flop 8mn + 5m (sum; subtract, square, add; subtract, scale, gamma, beta; five for mean,
/// variance, epsilon, root, reciprocal); bytes: read (mn + 2n)s, write mn s (each row is read once from memory as long
/// as it stays in cache, else twice).
struct Layernorm {
  static constexpr std::string_view name = "layernorm";
  static constexpr std::string_view summary = "y[m,n] = (x - mean(x)) / sqrt(var(x) + 1e-5) gamma[n] + beta[n] along n";
  struct Params {
    Index m, n;
  };
  static constexpr std::array fields{Field{"m", &Params::m, "rows"}, Field{"n", &Params::n, "length of a row"}};
  static constexpr double epsilon = 1e-5;

  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, 2 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {129, 512}, {2, 70001}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double m = static_cast<double>(p.m);
    const double n = static_cast<double>(p.n);
    return {streaming_stage(8 * m * n + 5 * m, 0, m * n + 2 * n, m * n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.m * p.n, types.a, Role::input, -1.0, 3.0},
            {"gamma", p.n, types.b, Role::input, 0.5, 1.5},
            {"beta", p.n, types.b, Role::input},
            {"y", p.m * p.n, types.out, Role::output}};
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
