#pragma once
#include "core/backend.hpp"
#include "core/measure/policy_time.hpp"

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

}  // namespace gable::openmp
