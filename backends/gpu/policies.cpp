#include "backends/gpu/policies.hpp"

#include "core/measure/policy_time.hpp"

namespace gable::gpu {

using measure::ceiling_policy;

Policies policies_for(Mode mode) {
  const bool full = mode == Mode::full;
  Policies p;
  p.burst = full ? ceiling_policy(2e-3, 8, 0.4) : ceiling_policy(1e-3, 5, 0.15);
  p.burst.gap_s = 10e-3;
  p.sustained = full ? ceiling_policy(20e-3, 8, 1.5) : ceiling_policy(5e-3, 5, 0.5);
  p.sustained.warmup_s = full ? 1.0 : 0.3;
  p.stream = full ? ceiling_policy(5e-3, 8, 0.5) : ceiling_policy(2e-3, 5, 0.15);
  p.stream.warmup_s = full ? 0.1 : 0.02;
  p.latency = full ? ceiling_policy(5e-3, 4, 0.3) : ceiling_policy(2e-3, 4, 0.1);
  p.overhead = full ? ceiling_policy(2e-3, 8, 0.3) : ceiling_policy(1e-3, 4, 0.1);
  p.library = full ? ceiling_policy(20e-3, 5, 1.5) : ceiling_policy(5e-3, 3, 0.4);
  p.library.warmup_s = full ? 1.0 : 0.1;  // judged beside sustained rows
  p.link = full ? ceiling_policy(20e-3, 3, 0.7) : ceiling_policy(5e-3, 3, 0.3);
  p.curve = full ? ceiling_policy(2e-3, 3, 0.2) : ceiling_policy(1e-3, 2, 0.1);
  return p;
}

}  // namespace gable::gpu
