#pragma once
#include "operators/common.hpp"

namespace gable::operators {

/// y[i] = a[i] + b[i], a residual connection; a, b, y: [n].
/// flop n; bytes: read 2ns, write ns.
struct Add : StreamOperator<3> {
  static constexpr std::string_view name = "add";
  static constexpr std::string_view summary = "y[n] = a[n] + b[n]";
  static constexpr std::array fields{Field{"n", &Params::n, "elements of each array"}};

  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(n, 0, 2 * n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"a", p.n, types.a, Role::input}, {"b", p.n, types.b, Role::input}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.n; ++i) out[0][i] = in[0][i] + in[1][i];
  }
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 1); }
};

}  // namespace gable::operators
