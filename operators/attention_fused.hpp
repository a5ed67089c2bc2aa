#pragma once
#include "operators/attention.hpp"

namespace gable::operators {

/// Attention in one pass over K and V for each block of rows of Q, with an online softmax (Milakov and Gimelshein,
/// arXiv:1805.02867; Dao et al., arXiv:2205.14135): scores and weights never leave the cache.
/// flop: see Attention (rescaling is not counted); bytes: read 3ld s, write ld s a head.
struct AttentionFused : Attention {
  static constexpr std::string_view name = "attention_fused";
  static constexpr std::string_view summary = "O[h,l,d] = softmax(Q K^T / sqrt(d)) V, scores in cache";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double square = scores(name, p);
    const double side = static_cast<double>(p.h) * static_cast<double>(p.l) * static_cast<double>(p.d);
    Stage stage = product_stage(4 * square * static_cast<double>(p.d), 3 * side, side, types);
    stage.work.push_back({Unit::vector, 5 * square});
    stage.work.push_back({Unit::exp, square});
    return {stage};
  }
  /// A matrix unit takes the weights in the storage type.
  static double tolerance(const Params& p, const Types& types) { return Attention::tolerance(p, types, 1); }
};

}  // namespace gable::operators
