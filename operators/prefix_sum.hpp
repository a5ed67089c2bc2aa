#pragma once
#include <cmath>

#include "operators/common.hpp"

namespace gable::operators {

/// y[i] = x[0] + ... + x[i] (inclusive); x, y: [n].
/// flop n; bytes: read ns, write ns. CPUs move no more than that (what a thread sums it scans while it is in its
/// cache); GPUs read x twice, which outside their caches makes 2/3 of the roof the best they can do.
struct PrefixSum : StreamOperator<2> {
  static constexpr std::string_view name = "prefix_sum";
  static constexpr std::string_view summary = "y[i] = x[0] + ... + x[i]; x, y: [n]";
  static constexpr std::array fields{Field{"n", &Params::n, "elements"}};

  static std::vector<Types> types() { return wide_types(); }
  static std::vector<Params> conformance_params() { return {{1}, {7}, {64}, {1001}, {16384}, {100003}}; }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto n = static_cast<double>(p.n);
    return {streaming_stage(n, 0, n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input, 0.0, 1.0}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    S total = 0.0;
    for (Index i = 0; i < p.n; ++i) out[0][i] = total += in[0][i];
  }
  /// Of positive elements: roundings of either sign add up like the square root of their number.
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, std::sqrt(static_cast<double>(p.n)));
  }
};

}  // namespace gable::operators
