#include "backends/openmp/ceilings/policies.hpp"

namespace gable::openmp {
namespace {

measure::Policy policy(double batch_s, int blocks, double time_limit_s) {
  measure::Policy made;
  made.batch_s = batch_s;
  made.batches_per_block = 1;
  made.blocks = blocks;
  made.time_limit_s = time_limit_s;
  made.ceiling = true;
  return made;
}

}  // namespace

Policies policies_for(Mode mode) {
  const bool full = mode == Mode::full;
  Policies p;
  // One short batch a block: what interrupts a machine for a moment then spoils one block, not three batches' worth.
  p.burst = full ? policy(1e-3, 12, 0.4) : policy(1e-3, 8, 0.1);
  p.burst.gap_s = 3e-3;
  p.sustained = full ? policy(5e-3, 12, 1.5) : policy(2e-3, 8, 0.4);
  p.sustained.warmup_s = full ? 0.6 : 0.3;
  p.stream = full ? policy(1e-3, 12, 0.5) : policy(1e-3, 8, 0.1);
  p.stream.warmup_s = full ? 0.1 : 0.02;
  p.latency = full ? policy(1e-3, 12, 0.3) : policy(0.5e-3, 8, 0.1);
  // Beside OpenMP's own threads, which spin after a region, the sentinel may have to wait for milliseconds.
  p.overhead = full ? policy(1e-3, 12, 1.0) : policy(0.5e-3, 8, 0.5);
  p.library = full ? policy(20e-3, 5, 1.0) : policy(2e-3, 4, 0.2);
  p.curve = full ? policy(1.5e-3, 4, 0.1) : policy(0.4e-3, 3, 0.1);
  return p;
}

}  // namespace gable::openmp
