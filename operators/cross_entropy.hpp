#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "operators/common.hpp"

namespace gable::operators {

/// loss[t] = log(sum_k exp(x[t,k] - max_k x[t,k])) + max_k x[t,k] - x[t,label[t]]; logits x: [tokens,n], label:
/// [tokens] (int32, pseudo-random and fixed), loss: [tokens] in the type that sums are kept in (fp32 for 2-byte
/// logits). flop 4 tokens n + 3 tokens (max, subtract, exp as 1, add; log as 1, add, subtract); exponentials tokens (n
/// + 1), a logarithm as one; bytes: read tokens (ns + 4), write 4 (fp64: 8) tokens; each logit is read once.
struct CrossEntropy {
  static constexpr std::string_view name = "cross_entropy";
  static constexpr std::string_view summary = "loss[tokens] = log(sum(exp(x[tokens,n]))) - x[label[tokens]] along n";
  struct Params {
    Index tokens, n;
  };
  static constexpr std::array fields{Field{"tokens", &Params::tokens, "rows"},
                                     Field{"n", &Params::n, "classes: the vocabulary"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() {
    std::vector<Types> list = floating_types();
    for (Types& one : list) one.out = one.accumulate;
    return list;
  }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 32000, size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {129, 512}, {3, 70001}};
  }
  static void check(const Params& p) { operators::demand_int32(name, "n", p.n, "labels"); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double tokens = static_cast<double>(p.tokens);
    const double logits = tokens * static_cast<double>(p.n);
    Stage stage = streaming_stage(4 * logits + 3 * tokens, logits + tokens, logits, 0, types);
    stage.bytes_read += 4 * tokens;
    stage.bytes_written = tokens * size_bytes(types.out);
    stage.working_set = stage.bytes_read + stage.bytes_written;
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const auto label = [n = p.n](Index i) { return static_cast<double>(pseudo_random(i, n)); };
    return {{"x", p.tokens * p.n, types.a, Role::input, -16.0, 16.0},
            {"label", p.tokens, DType::int32, Role::input, 0, static_cast<double>(p.n), label},
            {"loss", p.tokens, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::exp;
    using std::log;
    using std::max;
    for (Index t = 0; t < p.tokens; ++t) {
      const S* row = in[0].data() + t * p.n;
      S largest = -std::numeric_limits<double>::infinity();
      S total = 0.0;
      for (Index k = 0; k < p.n; ++k) largest = max(largest, row[k]);
      for (Index k = 0; k < p.n; ++k) total += exp(row[k] - largest);
      out[0][t] = log(total) + largest - row[static_cast<Index>(static_cast<double>(in[1][t]))];
    }
  }
  /// The subtraction's rounding (up to 32) and the exponential's error (2^-17 for 2-byte types) enter the loss.
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 64); }
};

}  // namespace gable::operators
