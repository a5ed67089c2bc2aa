#pragma once
#include <chrono>

#include "core/measure/sampler.hpp"

namespace gable::measure {

/// Involuntary context switches of all threads of this process so far; 0 where the system does not count them.
double involuntary_switches();

/// Runs body() once: its wall time as the calling thread sees it, and the involuntary switches of the whole process
/// meanwhile, because the work may be done by a pool or a library's own threads.
template <class Body>
Sample timed(Body&& body) {
  Sample sample;
  const double switches = involuntary_switches();
  const auto start = std::chrono::steady_clock::now();
  body();
  sample.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sample.involuntary_switches = involuntary_switches() - switches;
  return sample;
}

}  // namespace gable::measure
