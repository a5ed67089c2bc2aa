#pragma once
#include "operators/attention.hpp"

namespace gable::operators {

/// Attention in one pass over K and V for each block of rows of Q, with an online softmax (Milakov and Gimelshein,
/// arXiv:1805.02867; Dao et al., arXiv:2205.14135): scores and weights never leave the cache, blocks that the mask
/// hides are not computed. flop: see Attention (rescaling is not counted); bytes: read (h + 2kv) ld s, write h ld s.
/// On CPUs a row reads no key and no value that is masked, so that NaN there does not reach it; on GPUs it may read
/// those of its block of rows.
struct AttentionFused : Attention {
  static constexpr std::string_view name = "attention_fused";
  static constexpr std::string_view summary = "O[h,l,d] = softmax(Q K^T / sqrt(d)) V, K, V: [kv,l,d], scores in cache";

  static void check(const Params& p) { check_params(name, p); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double count = scores(name, p);
    const auto side = static_cast<double>(p.l * p.d), h = static_cast<double>(p.h), kv = static_cast<double>(p.kv);
    Stage stage = product_stage(4 * count * static_cast<double>(p.d), (h + 2 * kv) * side, h * side, types);
    stage.work.push_back({Unit::vector, 5 * count});
    stage.work.push_back({Unit::exp, count});
    return {stage};
  }
  /// A matrix unit takes the weights in the storage type.
  static double tolerance(const Params& p, const Types& types) { return Attention::tolerance(p, types, 1); }
};

}  // namespace gable::operators
