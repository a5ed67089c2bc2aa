#pragma once
#include <string_view>
#include <vector>

#include "operators/residual_layernorm.hpp"

namespace gable::operators {

/// Sum and layernorm in one launch, which reads h back from cache.
/// flop 9mn + 5m; bytes: read (2mn + 2n)s, write 2mn s.
struct ResidualLayernormFused : ResidualLayernorm {
  static constexpr std::string_view name = "residual_layernorm_fused";
  static constexpr std::string_view summary = "h[m,n] = x + r, y[m,n] = layernorm(h) gamma[n] + beta[n], in one launch";
  static constexpr bool in_place = true;

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double m = static_cast<double>(p.m);
    const double n = static_cast<double>(p.n);
    return {streaming_stage(9 * m * n + 5 * m, 0, 2 * m * n + 2 * n, 2 * m * n, types)};
  }
};

}  // namespace gable::operators
