#pragma once
#include <string_view>
#include <vector>

#include "operators/mlp.hpp"

namespace gable::operators {

/// A feed-forward block in two launches: biases and activation are added where the products' sums are in registers.
/// bytes: read (md + dh + h)s, write mh s; read (mh + hd + d)s, write md s.
struct MlpFused : Mlp {
  static constexpr std::string_view name = "mlp_fused";
  static constexpr std::string_view summary = "y[m,d] = gelu(x[m,d] W1[d,h] + b1[h]) W2[h,d] + b2[d] in two launches";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), d = static_cast<double>(p.d), h = static_cast<double>(p.h);
    Stage up = product_stage(2 * m * d * h, m * d + d * h + h, m * h, types);
    up.name = "up";
    up.work.push_back({Unit::vector, (1 + GeluFormula::flops) * m * h});
    up.work.push_back({Unit::exp, m * h});
    Stage down = product_stage(2 * m * d * h, m * h + h * d + d, m * d, types);
    down.name = "down";
    down.work.push_back({Unit::vector, m * d});
    return {up, down};
  }
  static double tolerance(const Params& p, const Types& types) { return Mlp::tolerance(p, types, 2); }
};

}  // namespace gable::operators
