#include "backends/openmp/ceilings/policies.hpp"

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
  p.burst = full ? policy(1e-3, 1, {24, 48, 96}, 1.2) : policy(1e-3, 1, {12, 24, 48}, 0.2);
  p.burst.gap_s = 3e-3;
  p.sustained = full ? policy(5e-3, 1, {24, 48, 96}, 4.0) : policy(2e-3, 1, {12, 24, 48}, 0.5);
  p.sustained.warmup_s = full ? 1.5 : 0.3;
  p.stream = full ? policy(1e-3, 1, {24, 48, 96}, 1.8) : policy(1e-3, 1, {12, 24, 48}, 0.2);
  p.stream.warmup_s = full ? 0.3 : 0.03;
  p.latency = full ? policy(1e-3, 1, {24, 48, 96}, 1.0) : policy(0.5e-3, 1, {12, 24, 48}, 0.15);
  p.overhead = full ? policy(1e-3, 1, {24, 48, 96}, 1.0) : policy(0.5e-3, 1, {12, 24, 48}, 0.15);
  p.library = full ? policy(20e-3, 1, {8, 16, 32}, 3.0) : policy(2e-3, 1, {12}, 0.3);
  p.curve = full ? policy(1.5e-3, 1, {8, 16}, 0.3) : policy(0.4e-3, 1, {6}, 0.3);
  return p;
}

}  // namespace gable::openmp
