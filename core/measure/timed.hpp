#pragma once
#include <sys/resource.h>

#include <chrono>
#include <functional>
#include <span>

#include "core/measure/disturbance.hpp"
#include "core/measure/sampler.hpp"

namespace gable::measure {

/// Involuntary context switches of all threads of this process so far; 0 where the system does not count them.
inline double involuntary_switches() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<double>(usage.ru_nivcsw) : 0.0;
}

/// Runs body() once: its wall time as the calling thread sees it, the involuntary switches of the whole process
/// meanwhile, because the work may be done by a pool or a library's own threads, and what a hypervisor stole from
/// `cpus` (none: from the whole system). There is no sentinel: a backend that has some runs them beside it.
template <class Body>
TimedBatch timed(Body&& body, std::span<const int> cpus = {}) {
  TimedBatch batch;
  const StealWatch steal(cpus);
  const double switches = involuntary_switches();
  const auto start = std::chrono::steady_clock::now();
  body();
  batch.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  batch.involuntary_switches = involuntary_switches() - switches;
  batch.stolen_s = steal.since();
  return batch;
}

/// Something that times a body as timed() does and runs a backend's sentinels beside it, for code that knows no
/// backend. The function it wraps costs the body one indirect call.
using Timer = std::function<TimedBatch(const std::function<void()>& body)>;

/// timed() by the backend's timer, or plainly where there is none.
template <class Body>
TimedBatch timed_by(const Timer& timer, Body&& body) {
  return timer ? timer(body) : timed(body);
}

}  // namespace gable::measure
