#include "backends/gpu/policies.hpp"

#include <utility>
#include <vector>

namespace gable::gpu {
namespace {

measure::Policy policy(double batch_s, std::vector<int> looks, double time_limit_s) {
  measure::Policy made;
  made.batch_s = batch_s;
  made.batches_per_block = 1;
  made.looks = std::move(looks);
  made.time_limit_s = time_limit_s;
  made.ceiling = true;
  return made;
}

}  // namespace

Policies policies_for(Mode mode) {
  const bool full = mode == Mode::full;
  Policies p;
  p.burst = full ? policy(2e-3, {12, 24, 48}, 1.5) : policy(1e-3, {8, 16, 24}, 0.4);
  p.burst.gap_s = 10e-3;
  p.sustained = full ? policy(20e-3, {12, 24, 48}, 5.0) : policy(5e-3, {8, 16}, 1.0);
  p.sustained.warmup_s = full ? 2.0 : 0.5;
  p.stream = full ? policy(5e-3, {12, 24, 48}, 1.8) : policy(2e-3, {8, 16, 24}, 0.35);
  p.stream.warmup_s = full ? 0.3 : 0.05;
  p.latency = full ? policy(5e-3, {12, 24}, 1.0) : policy(2e-3, {8, 16}, 0.2);
  p.overhead = full ? policy(2e-3, {12, 24, 48}, 1.0) : policy(1e-3, {8, 16}, 0.2);
  p.library = full ? policy(20e-3, {8, 16, 32}, 3.0) : policy(5e-3, {8, 12}, 0.7);
  p.library.warmup_s = full ? 2.0 : 0.2;  // judged beside sustained rows
  p.link = full ? policy(20e-3, {8, 16}, 2.0) : policy(5e-3, {8}, 0.5);
  p.curve = full ? policy(2e-3, {8, 16}, 0.5) : policy(1e-3, {6}, 0.2);
  return p;
}

}  // namespace gable::gpu
