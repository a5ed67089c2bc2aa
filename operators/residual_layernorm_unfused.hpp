#pragma once
#include <string_view>
#include <vector>

#include "operators/residual_layernorm.hpp"

namespace gable::operators {

/// Sum and layernorm in two launches, the second of which reads h back from memory.
/// flop mn and 8mn + 5m; bytes: read 2mn s, write mn s, and read (mn + 2n)s, write mn s.
struct ResidualLayernormUnfused : ResidualLayernorm {
  static constexpr std::string_view name = "residual_layernorm_unfused";
  static constexpr std::string_view summary = "h[m,n] = x + r, then y[m,n] = layernorm(h) gamma[n] + beta[n]";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
    std::vector<Stage> stages{streaming_stage(elements, 0, 2 * elements, elements, types)};
    stages[0].name = "add";
    stages.push_back(Layernorm::work(p, types).front());
    stages[1].name = "layernorm";
    return stages;
  }
};

}  // namespace gable::operators
