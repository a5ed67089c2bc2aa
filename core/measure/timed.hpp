#pragma once
#include <chrono>
#include <span>

#include "core/measure/sampler.hpp"
#include "core/measure/steal.hpp"

namespace gable::measure {

/// Involuntary context switches of all threads of this process so far; 0 where the system does not count them.
double involuntary_switches();

/// Runs body() once: its wall time as the calling thread sees it, the involuntary switches of the whole process
/// meanwhile, because the work may be done by a pool or a library's own threads, and what a hypervisor stole from
/// `cpus` (none: from the whole system). There is no sentinel.
template <class Body>
Sample timed(Body&& body, std::span<const int> cpus = {}) {
  Sample sample;
  const StealWatch steal(cpus);
  const double switches = involuntary_switches();
  const auto start = std::chrono::steady_clock::now();
  body();
  sample.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sample.involuntary_switches = involuntary_switches() - switches;
  sample.stolen_s = steal.since();
  return sample;
}

}  // namespace gable::measure
