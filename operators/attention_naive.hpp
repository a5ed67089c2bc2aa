#pragma once
#include "operators/attention.hpp"

namespace gable::operators {

/// Attention in three launches with the scores and the weights in memory: S = Q K^T / sqrt(d), P = softmax(S) by rows,
/// O = P V; S, P: [h,l,l] in the storage type. flop: see Attention; bytes, as the launches move them: (2ld + l^2)s,
/// 2l^2 s, (l^2 + 2ld)s, together (4ld + 4l^2)s a head.
struct AttentionNaive : Attention {
  static constexpr std::string_view name = "attention_naive";
  static constexpr std::string_view summary = "O[h,l,d] = softmax(Q K^T / sqrt(d)) V, scores in memory";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double square = scores(name, p);
    const double side = static_cast<double>(p.h) * static_cast<double>(p.l) * static_cast<double>(p.d);
    const double product = 2 * square * static_cast<double>(p.d);
    std::vector<Stage> stages{product_stage(product, 2 * side, square, types),
                              streaming_stage(5 * square, square, square, square, types),
                              product_stage(product, square + side, side, types)};
    stages[0].name = "scores";
    stages[1].name = "softmax";
    stages[2].name = "values";
    return stages;
  }
  /// Scores of up to sqrt(d) and weights are rounded to the storage type.
  static double tolerance(const Params& p, const Types& types) {
    return Attention::tolerance(p, types, std::sqrt(static_cast<double>(p.d)) + 1);
  }
};

}  // namespace gable::operators
