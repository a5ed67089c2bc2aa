#pragma once
#include "operators/elementwise_chain.hpp"

namespace gable::operators {

/// Each step of an ElementwiseChain in a launch of its own, the values between them in memory, in the storage type:
/// read ns, write ns a step. The first reads x, the others change y in place.
struct ElementwiseChainUnfused : ElementwiseChain {
  static constexpr std::string_view name = "elementwise_chain_unfused";
  static constexpr std::string_view summary = "y[n] = x after `stages` steps v -> a v + b, a launch each";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    Stage first = streaming_stage(2 * n, 0, n, n, types);
    first.name = "first";
    std::vector<Stage> stages{first};
    if (p.stages > 1) stages.push_back(later_steps(p, types));
    return stages;
  }
  static double tolerance(const Params& p, const Types& types) {
    return static_cast<double>(p.stages) * rounding_tolerance(types, 2);
  }

 private:
  /// The steps behind the first as one stage of as many launches.
  static Stage later_steps(const Params& p, const Types& types) {
    const double elements = static_cast<double>(p.n) * static_cast<double>(p.stages - 1);
    Stage stage = streaming_stage(2 * elements, 0, elements, elements, types);
    stage.name = "in_place";
    stage.bytes_updated = stage.bytes_written;
    stage.working_set = static_cast<double>(p.n) * size_bytes(types.out);
    stage.launches = static_cast<int>(p.stages - 1);
    return stage;
  }
};

}  // namespace gable::operators
