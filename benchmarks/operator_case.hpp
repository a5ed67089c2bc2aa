#pragma once
#include <span>
#include <vector>

#include "benchmarks/goals.hpp"
#include "benchmarks/native_roofs.hpp"
#include "benchmarks/outcome.hpp"
#include "core/backend.hpp"
#include "core/operator.hpp"

namespace gable::bench {

/// What all cases of a run share.
struct Bench {
  Backend& backend;  ///< opened
  const DeviceInfo& device;
  NativeRoofs& roofs;
  std::span<const OperatorEntry* const> entries;
  std::span<const Goal> goals;
  int rounds{7};
};

/// One operator at one size in one type: all implementations that can run it, the roofs that may bound it and what its
/// goals compare it with take short turns in every round. An outcome for every figure: each implementation's fraction
/// of its bound, and what its goals ask. The vendor's library has no goals. Throws Error for sizes that the operator
/// refuses or that take more than a quarter of the memory.
std::vector<Outcome> run_case(const Bench& bench, const OperatorEntry& entry, const Params& params, const Types& types);

}  // namespace gable::bench
