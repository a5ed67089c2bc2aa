#include "core/measure/policy_time.hpp"

#include <algorithm>

namespace gable::measure {

Policy ceiling_policy(double batch_s, int blocks, double time_limit_s) {
  Policy made;
  made.batch_s = batch_s;
  made.batches_per_block = 1;
  made.blocks = blocks;
  made.time_limit_s = time_limit_s;
  made.ceiling = true;
  made.room = 1;
  return made;
}

Policy with_room_for(Policy policy, double iteration_s) {
  constexpr double long_s = 0.1;
  const int iterations = std::max(iteration_s < long_s ? 6 : 5, 3 + 2 * policy.batches_per_block);
  policy.time_limit_s = std::max(policy.time_limit_s, iterations * iteration_s);
  return policy;
}

double expected_seconds(const Policy& policy, double beside_s) {
  const int batches = policy.batches_per_block + (policy.gap_s > 0 ? 1 : 0);
  const double block_s = (1.3 * policy.batch_s + beside_s) * batches + policy.gap_s;
  const double calibration_s = 5.0 * (policy.batch_s + beside_s);
  return std::min(policy.warmup_s + calibration_s + policy.blocks * block_s, policy.time_limit_s);
}

}  // namespace gable::measure
