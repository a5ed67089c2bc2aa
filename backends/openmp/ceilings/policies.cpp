#include "backends/openmp/ceilings/policies.hpp"

#include "core/measure/policy_time.hpp"

namespace gable::openmp {

using measure::ceiling_policy;

Policies policies_for(Mode mode) {
  const bool full = mode == Mode::full;
  Policies p;
  // One short batch a block: what interrupts a machine for a moment then spoils one block, not three batches' worth.
  p.burst = full ? ceiling_policy(1e-3, 12, 0.4) : ceiling_policy(1e-3, 8, 0.1);
  p.burst.gap_s = 3e-3;
  p.sustained = full ? ceiling_policy(5e-3, 12, 1.5) : ceiling_policy(2e-3, 8, 0.4);
  p.sustained.warmup_s = full ? 0.6 : 0.3;
  p.stream = full ? ceiling_policy(1e-3, 12, 0.5) : ceiling_policy(1e-3, 8, 0.1);
  p.stream.warmup_s = full ? 0.1 : 0.02;
  p.latency = full ? ceiling_policy(1e-3, 12, 0.3) : ceiling_policy(0.5e-3, 8, 0.1);
  // Beside OpenMP's own threads, which spin after a region, the sentinel may have to wait for milliseconds.
  p.overhead = full ? ceiling_policy(1e-3, 12, 1.0) : ceiling_policy(0.5e-3, 8, 0.5);
  p.library = full ? ceiling_policy(20e-3, 3, 0.6) : ceiling_policy(2e-3, 4, 0.2);
  p.curve = full ? ceiling_policy(1.5e-3, 4, 0.1) : ceiling_policy(0.4e-3, 3, 0.1);
  return p;
}

}  // namespace gable::openmp
