#pragma once
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i,j] = x[i,j] / sqrt(mean_k(x[i,k]^2) + 1e-5) gamma[j] (Zhang, Sennrich, "Root Mean Square Layer Normalization",
/// 2019); x, y: [m,n], gamma: [n]. flop 4mn + 4m (square, add; scale, gamma; four for mean, epsilon, root, reciprocal);
/// bytes: read (mn + n)s, write mn s (each row is read once from memory as long as it stays in cache, else twice).
struct Rmsnorm {
  static constexpr std::string_view name = "rmsnorm";
  static constexpr std::string_view summary = "y[m,n] = x / sqrt(mean(x^2) + 1e-5) gamma[n] along n";
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
    return {streaming_stage(4 * m * n + 4 * m, 0, m * n + n, m * n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.m * p.n, types.a, Role::input, -1.0, 3.0},
            {"gamma", p.n, types.b, Role::input, 0.5, 1.5},
            {"y", p.m * p.n, types.out, Role::output}};
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
