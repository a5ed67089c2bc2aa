#pragma once
#include <utility>

#include "backends/gpu/benchmarks/device_clock.hpp"
#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/event_timer.hpp"

namespace gable::gpu {

/// A benchmark of kernels that stamp the clock they saw.
class ClockedBenchmark : public GpuBenchmark {
 public:
  explicit ClockedBenchmark(Stream stream) : timer_(stream), clock_(stream) {}

 protected:
  Stream stream() const { return timer_.stream(); }
  ClockStamp* stamp() const { return clock_.stamp(); }
  /// One batch: what `enqueue()` puts on the stream, and whatever stamped since the batch before.
  template <class Enqueue>
  measure::Sample timed(Enqueue&& enqueue) {
    measure::Sample sample;
    sample.time_s = timer_.time_s(std::forward<Enqueue>(enqueue), [this] { busy(); });
    sample.clock_hz = clock_.hz();
    return sample;
  }

 private:
  EventTimer timer_;
  DeviceClock clock_;
};

}  // namespace gable::gpu
