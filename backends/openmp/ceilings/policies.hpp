#pragma once
#include "core/backend.hpp"
#include "core/measure/sampler.hpp"

namespace gable::openmp {

/// How each kind of CPU ceiling is sampled. Interference on a shared machine only ever slows, so all are ceilings in
/// the sense of measure::Policy.
struct Policies {
  measure::Policy burst;      ///< short batches with gaps before every block: the clock recovers in them
  measure::Policy sustained;  ///< back to back, after a warm-up that outlasts the wide-vector clock's boost
  measure::Policy stream;     ///< bandwidth rows
  measure::Policy latency;
  measure::Policy overhead;
  measure::Policy library;
  measure::Policy curve;  ///< one point of a curve
};

Policies policies_for(Mode mode);

/// The policy with time for at least 10 iterations (calibration and 6 blocks), of which one was seen to take this long.
measure::Policy with_room_for(measure::Policy policy, double iteration_s);

/// Rough time a policy takes on a quiet machine, s, when one iteration is never longer than a batch.
double expected_seconds(const measure::Policy& policy);

}  // namespace gable::openmp
