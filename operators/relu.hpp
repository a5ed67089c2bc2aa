#pragma once
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i] = max(x[i], 0); x, y: [n].
/// flop n; bytes: read ns, write ns.
struct Relu {
  static constexpr std::string_view name = "relu";
  static constexpr std::string_view summary = "y[n] = max(x[n], 0)";
  struct Params {
    Index n;
  };
  static constexpr std::array fields{Field{"n", &Params::n, "elements"}};

  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return elements_for_working_sets<Params>(device, 2 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() { return {{1}, {7}, {64}, {1001}, {100003}}; }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(n, 0, n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::max;
    for (Index i = 0; i < p.n; ++i) out[0][i] = max(in[0][i], S(0.0));
  }
  /// Nothing is rounded.
  static double tolerance(const Params&, const Types&) { return 0.0; }
};

}  // namespace gable::operators
