#pragma once
#include "operators/common.hpp"

namespace gable::operators {

/// y[i] += a x[i] in place; x, y: [n]. a is 3 in the first run and changes its sign from run to run, so that y stays
/// bounded however often it runs (a captured graph repeats one sign, which lets y grow by 3 a run).
/// flop 2n; bytes: read 2ns, write ns, without write-allocate traffic: y is read anyway.
struct Axpy : StreamOperator<2> {
  static constexpr std::string_view name = "axpy";
  static constexpr std::string_view summary = "y[n] += a x[n], in place";
  static constexpr std::array fields{Field{"n", &Params::n, "elements of each array"}};
  static constexpr double a = 3.0;

  static std::vector<Types> types() { return wide_types(); }
  /// The working set is two arrays: y is one, read and written.
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto n = static_cast<double>(p.n);
    Stage stage = streaming_stage(2 * n, 0, 2 * n, n, types);
    stage.bytes_updated = n * size_bytes(types.out);
    stage.working_set = 2 * n * size_bytes(types.a);
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input}, {"y", p.n, types.out, Role::updated}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    const S factor = a;
    for (Index i = 0; i < p.n; ++i) out[0][i] = in[1][i] + factor * in[0][i];
  }
  static double tolerance(const Params&, const Types& types) { return 4 * rounding_tolerance(types, 2); }
};

}  // namespace gable::operators
