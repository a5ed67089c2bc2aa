#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/activation.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i,j] = silu(g[i,j]) u[i,j] (Shazeer, "GLU Variants Improve Transformer", 2020); g, u, y: [m,n].
/// flop 5mn (SiluFormula and a product); exponentials mn; bytes: read 2mn s, write mn s.
struct Swiglu {
  static constexpr std::string_view name = "swiglu";
  static constexpr std::string_view summary = "y[m,n] = g / (1 + exp(-g)) u[m,n]";
  struct Params {
    Index m, n;
  };
  static constexpr std::array fields{Field{"m", &Params::m, "rows"}, Field{"n", &Params::n, "columns"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, 3 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {129, 512}, {1, 70001}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
    return {streaming_stage((SiluFormula::flops + 1) * elements, elements, 2 * elements, elements, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"g", p.m * p.n, types.a, Role::input, -12.0, 12.0},
            {"u", p.m * p.n, types.b, Role::input},
            {"y", p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m * p.n; ++i) out[0][i] = SiluFormula::value(in[0][i]) * in[1][i];
  }
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 10); }
};

}  // namespace gable::operators
