#pragma once
#include "operators/elementwise_chain.hpp"

namespace gable::operators {

/// All steps of an ElementwiseChain in one launch, on values that stay in registers: read ns, write ns.
struct ElementwiseChainFused : ElementwiseChain {
  static constexpr std::string_view name = "elementwise_chain_fused";
  static constexpr std::string_view summary = "y[n] = x after `stages` steps v -> a v + b, in one launch";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(2 * n * static_cast<double>(p.stages), 0, n, n, types)};
  }
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, 2 * static_cast<double>(p.stages));
  }
};

}  // namespace gable::operators
