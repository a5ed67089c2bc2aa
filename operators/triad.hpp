#pragma once
#include "operators/common.hpp"

namespace gable::operators {

/// a[i] = b[i] + k c[i], k = 3; a, b, c: [n].
/// flop 2n; bytes: read 2ns, write ns (compulsory: a CPU's write-allocate traffic is not in it).
struct Triad : StreamOperator<3> {
  static constexpr std::string_view name = "triad";
  static constexpr std::string_view summary = "a[n] = b[n] + k c[n]";
  static constexpr std::array fields{Field{"n", &Params::n, "elements of each array"}};
  static constexpr double k = 3.0;

  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(2 * n, 0, 2 * n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"b", p.n, types.a, Role::input}, {"c", p.n, types.b, Role::input}, {"a", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    const S factor = k;
    for (Index i = 0; i < p.n; ++i) out[0][i] = in[0][i] + factor * in[1][i];
  }
  static double tolerance(const Params&, const Types& types) { return 4 * rounding_tolerance(types, 2); }
};

}  // namespace gable::operators
