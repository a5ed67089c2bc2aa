#include "backends/openmp/ceilings/policies.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gable::openmp {
namespace {

measure::Policy policy(double batch_s, int batches_per_block, std::vector<int> looks, double time_limit_s) {
  measure::Policy made;
  made.batch_s = batch_s;
  made.batches_per_block = batches_per_block;
  made.looks = std::move(looks);
  made.time_limit_s = time_limit_s;
  made.ceiling = true;
  return made;
}

}  // namespace

Policies policies_for(Mode mode) {
  const bool full = mode == Mode::full;
  Policies p;
  // One short batch a block: what interrupts a machine for a moment then spoils one block, not three batches' worth.
  p.burst = full ? policy(1e-3, 1, {24, 48, 96}, 1.2) : policy(1e-3, 1, {12, 24, 48}, 0.25);
  p.burst.gap_s = 3e-3;
  p.sustained = full ? policy(5e-3, 1, {24, 48, 96}, 4.0) : policy(2e-3, 1, {12, 24, 48}, 0.65);
  p.sustained.warmup_s = full ? 1.5 : 0.4;
  p.stream = full ? policy(1e-3, 1, {24, 48, 96}, 1.5) : policy(1e-3, 1, {12, 24, 48}, 0.22);
  p.latency = full ? policy(1e-3, 1, {24, 48, 96}, 1.0) : policy(0.5e-3, 1, {12, 24, 48}, 0.15);
  p.overhead = full ? policy(1e-3, 1, {24, 48, 96}, 1.0) : policy(0.5e-3, 1, {12, 24, 48}, 0.15);
  p.library = full ? policy(20e-3, 1, {8, 16, 32}, 3.0) : policy(2e-3, 1, {8, 12}, 0.4);
  p.curve = full ? policy(1.5e-3, 1, {8, 16}, 0.3) : policy(0.4e-3, 1, {6}, 0.3);
  return p;
}

measure::Policy with_room_for(measure::Policy policy, double iteration_s) {
  policy.time_limit_s = std::max(policy.time_limit_s, 10.0 * iteration_s);
  return policy;
}

double expected_seconds(const measure::Policy& policy) {
  const double blocks = policy.looks.empty() ? 1.0 : 0.5 * (policy.looks.front() + policy.looks.back());
  // Beside every batch: barrier, sentinel and the clock's chain.
  constexpr double beside_s = 3e-4;
  const int batches = policy.batches_per_block + (policy.gap_s > 0 ? 1 : 0);
  const double block_s = (1.3 * policy.batch_s + beside_s) * batches + policy.gap_s;
  const double calibration_s = 5.0 * (policy.batch_s + beside_s);
  return std::min(policy.warmup_s + calibration_s + blocks * block_s, policy.time_limit_s);
}

}  // namespace gable::openmp
