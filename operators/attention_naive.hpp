#pragma once
#include "operators/attention.hpp"

namespace gable::operators {

/// Attention in three launches with the scores and the weights in memory: S = Q K^T / sqrt(d), P = softmax(S) by rows,
/// O = P V; S, P: [h,l,l] in the storage type. flop: see Attention; bytes, as the launches move them, for n scores:
/// ((h + kv) ld + n)s, 2n s, (n + (h + kv) ld)s, together (2(h + kv) ld + 4n)s.
/// With a causal mask these are the useful half: the products compute and read all of S and P, whose other half is 0,
/// only the softmax leaves it out. So NaN in a masked value reaches rows before it; in a masked key it does not.
struct AttentionNaive : Attention {
  static constexpr std::string_view name = "attention_naive";
  static constexpr std::string_view summary = "O[h,l,d] = softmax(Q K^T / sqrt(d)) V, K, V: [kv,l,d], scores in memory";

  static void check(const Params& p) { check_params(name, p); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double count = scores(name, p);
    const auto side = static_cast<double>(p.l * p.d), h = static_cast<double>(p.h), kv = static_cast<double>(p.kv);
    const double product = 2 * count * static_cast<double>(p.d);
    std::vector<Stage> stages{product_stage(product, (h + kv) * side, count, types),
                              streaming_stage(5 * count, count, count, count, types),
                              product_stage(product, count + kv * side, h * side, types)};
    stages[0].name = "scores";
    stages[1].name = "softmax";
    stages[2].name = "values";
    return stages;
  }
  /// Scores and weights.
  static double workspace_bytes(const Params& p, const Types& types) {
    return 2 * static_cast<double>(p.h) * static_cast<double>(p.l) * static_cast<double>(p.l) * size_bytes(types.a);
  }
  /// Scores of up to sqrt(d) and weights are rounded to the storage type.
  static double tolerance(const Params& p, const Types& types) {
    return Attention::tolerance(p, types, std::sqrt(static_cast<double>(p.d)) + 1);
  }
};

}  // namespace gable::operators
