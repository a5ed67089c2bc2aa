#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/activation.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i] = x sigmoid(x); x, y: [n].
/// flop 4n (SiluFormula); exponentials n; bytes: read ns, write ns.
struct Silu {
  static constexpr std::string_view name = "silu";
  static constexpr std::string_view summary = "y[n] = x / (1 + exp(-x))";
  struct Params {
    Index n;
  };
  static constexpr std::array fields{Field{"n", &Params::n, "elements"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return elements_for_working_sets<Params>(device, 2 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() { return {{1}, {7}, {64}, {1001}, {100003}}; }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(SiluFormula::flops * n, n, n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input, -12.0, 12.0}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.n; ++i) out[0][i] = SiluFormula::value(in[0][i]);
  }
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 9); }
};

}  // namespace gable::operators
