#pragma once
#include "core/backend.hpp"
#include "core/measure/policy_time.hpp"

namespace gable::gpu {

/// How each kind of GPU ceiling is sampled. Anything that shares the device only ever slows, so all are ceilings in the
/// sense of measure::Policy.
struct Policies {
  measure::Policy burst;      ///< short batches with gaps before every block: the power limiter has not acted yet
  measure::Policy sustained;  ///< back to back, after a warm-up that outlasts the power limiter's patience
  measure::Policy stream;     ///< bandwidth rows
  measure::Policy latency;
  measure::Policy overhead;
  measure::Policy library;
  measure::Policy link;
  measure::Policy curve;  ///< one point of a curve
};

Policies policies_for(Mode mode);

/// What a batch costs beside its own time, s: two events and a wait.
inline constexpr double beside_batch_s = 3e-5;

}  // namespace gable::gpu
