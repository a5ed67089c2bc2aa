#pragma once
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y[i] = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the tanh approximation; x, y: [n].
/// flop 9n by the convention that tanh is 1: 3 products for the cubic term, sum, scale, tanh, sum, 2 products;
/// exponentials n; bytes: read ns, write ns. The kernel uses 1 + tanh(u) = 2 / (1 + exp(-2u)).
struct Gelu {
  static constexpr std::string_view name = "gelu";
  static constexpr std::string_view summary = "y[n] = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))";
  struct Params {
    Index n;
  };
  static constexpr std::array fields{Field{"n", &Params::n, "elements"}};
  static constexpr double sqrt_2_over_pi = 0.79788456080286535588;
  static constexpr double cubic = 0.044715;

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    std::vector<Params> list;
    for (double bytes : working_sets(device)) list.push_back({static_cast<Index>(bytes / (2 * size_bytes(types.a)))});
    return list;
  }
  static std::vector<Params> conformance_params() { return {{1}, {7}, {64}, {1001}, {100003}}; }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(9 * n, n, n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input, -6.0, 6.0}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::tanh;
    for (Index i = 0; i < p.n; ++i) {
      const S x = in[0][i];
      out[0][i] = S(0.5) * x * (S(1.0) + tanh(S(sqrt_2_over_pi) * (x + S(cubic) * x * x * x)));
    }
  }
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 9); }
};

}  // namespace gable::operators
