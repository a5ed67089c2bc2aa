#pragma once
#include "core/measure/sampler.hpp"

namespace gable::measure {

/// The policy of a ceiling: blocks of one batch each.
Policy ceiling_policy(double batch_s, int blocks, double time_limit_s);

/// The policy with time for calibration and 2 blocks, at least 8 iterations, of which one was seen to take this long.
Policy with_room_for(Policy policy, double iteration_s);

/// Rough time a round takes on a quiet machine, s, when one iteration is never longer than a batch. beside_s: what
/// every batch costs beside its own time, s (a barrier, a sentinel, a clock reading).
double expected_seconds(const Policy& policy, double beside_s = 3e-4);

}  // namespace gable::measure
