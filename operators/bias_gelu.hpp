#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/activation.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i,j] = gelu(x[i,j] + b[j]), the tanh approximation; x, y: [m,n], b: [n].
/// flop 10mn (a sum and GeluFormula); exponentials mn; bytes: read (mn + n)s, write mn s.
struct BiasGelu {
  static constexpr std::string_view name = "bias_gelu";
  static constexpr std::string_view summary = "y[m,n] = gelu(x[m,n] + b[n])";
  struct Params {
    Index m, n;
  };
  static constexpr std::array fields{Field{"m", &Params::m, "rows"},
                                     Field{"n", &Params::n, "columns, length of the bias"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, 2 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {129, 512}, {1, 40009}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double m = static_cast<double>(p.m);
    const double n = static_cast<double>(p.n);
    return {streaming_stage((1 + GeluFormula::flops) * m * n, m * n, m * n + n, m * n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.m * p.n, types.a, Role::input, -5.0, 5.0},
            {"b", p.n, types.b, Role::input},
            {"y", p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m; ++i) {
      for (Index j = 0; j < p.n; ++j) out[0][i * p.n + j] = GeluFormula::value(in[0][i * p.n + j] + in[1][j]);
    }
  }
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 10); }
};

}  // namespace gable::operators
