#pragma once
#include "core/measure/sampler.hpp"

namespace gable::measure {

/// The policy of a ceiling: blocks of one batch each, and room for long iterations.
Policy ceiling_policy(double batch_s, int blocks, double time_limit_s);

/// The policy with time for calibration and blocks of iterations that take this long: 4 blocks of one batch, of
/// iterations longer than 0.1 s 3, of several batches 2.
Policy with_room_for(Policy policy, double iteration_s);

/// Rough time a round takes on a quiet machine, s, when one iteration is never longer than a batch. beside_s: what
/// every batch costs beside its own time, s (a barrier, a sentinel, a clock reading).
double expected_seconds(const Policy& policy, double beside_s = 3e-4);

}  // namespace gable::measure
