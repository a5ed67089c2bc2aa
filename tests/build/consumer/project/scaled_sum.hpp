#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i] = 2 (a[i] + b[i]); a, b, y: [n]. flop 2n; bytes: read 2ns, write ns.
struct ScaledSum {
  static constexpr std::string_view name = "scaled_sum";
  static constexpr std::string_view summary = "y[n] = 2 (a[n] + b[n])";
  struct Params {
    Index n;
  };
  static constexpr std::array fields{Field{"n", &Params::n, "elements of each array"}};

  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) { return {{1000}}; }
  static std::vector<Params> conformance_params() { return {{7}}; }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(2 * n, 0, 2 * n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"a", p.n, types.a, Role::input}, {"b", p.n, types.b, Role::input}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    const S two = 2.0;
    for (Index i = 0; i < p.n; ++i) out[0][i] = two * (in[0][i] + in[1][i]);
  }
  static double tolerance(const Params&, const Types& types) { return 4 * rounding_tolerance(types, 2); }
};

}  // namespace gable::operators
