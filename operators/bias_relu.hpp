#pragma once
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i,j] = max(x[i,j] + b[j], 0); x, y: [m,n], b: [n].
/// flop 2mn; bytes: read (mn + n)s, write mn s.
struct BiasRelu {
  static constexpr std::string_view name = "bias_relu";
  static constexpr std::string_view summary = "y[m,n] = max(x[m,n] + b[n], 0)";
  struct Params {
    Index m, n;
  };
  static constexpr std::array fields{Field{"m", &Params::m, "rows"},
                                     Field{"n", &Params::n, "columns, length of the bias"}};

  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, 2 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {301, 512}, {1, 40009}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double m = static_cast<double>(p.m);
    const double n = static_cast<double>(p.n);
    return {streaming_stage(2 * m * n, 0, m * n + n, m * n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.m * p.n, types.a, Role::input},
            {"b", p.n, types.b, Role::input},
            {"y", p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::max;
    for (Index i = 0; i < p.m; ++i) {
      for (Index j = 0; j < p.n; ++j) out[0][i * p.n + j] = max(in[0][i * p.n + j] + in[1][j], S(0.0));
    }
  }
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 1); }
};

}  // namespace gable::operators
