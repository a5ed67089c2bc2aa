#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "operators/mlp.hpp"

namespace gable::operators {

/// A feed-forward block in four launches, what lies between them in memory in the storage type.
/// bytes: read (md + dh)s, write mh s; read (mh + h)s, write mh s; read (mh + hd)s, write md s; read (md + d)s, write
/// md s.
struct MlpUnfused : Mlp {
  static constexpr std::string_view name = "mlp_unfused";
  static constexpr std::string_view summary = "y[m,d] = gelu(x[m,d] W1[d,h] + b1[h]) W2[h,d] + b2[d] in four launches";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), d = static_cast<double>(p.d), h = static_cast<double>(p.h);
    std::vector<Stage> stages{product_stage(2 * m * d * h, m * d + d * h, m * h, types),
                              streaming_stage((1 + GeluFormula::flops) * m * h, m * h, m * h + h, m * h, types),
                              product_stage(2 * m * d * h, m * h + h * d, m * d, types),
                              streaming_stage(m * d, 0, m * d + d, m * d, types)};
    stages[0].name = "up";
    stages[1].name = "gelu";
    stages[2].name = "down";
    stages[3].name = "bias";
    for (const std::size_t pass : {1, 3}) update_in_place(stages[pass]);
    return stages;
  }
  static double tolerance(const Params& p, const Types& types) { return Mlp::tolerance(p, types, 4); }

 private:
  /// The passes behind the products read and write one array.
  static void update_in_place(Stage& stage) {
    stage.bytes_updated = stage.bytes_written;
    stage.working_set -= stage.bytes_written;
  }
};

}  // namespace gable::operators
