#pragma once
#include <optional>
#include <utility>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/kernels/kernels.hpp"
#include "backends/gpu/vendor_facts.hpp"

namespace gable::gpu {

/// The clock that kernels saw: a stamp in device memory that every launch adds to.
class DeviceClock {
 public:
  explicit DeviceClock(Stream stream)
      : stream_(stream), tick_hz_(tick_hz()), least_s_(least_clock_window_s()), stamp_(sizeof(ClockStamp)) {
    copy_async(stamp_.as<void>(), &before_, sizeof before_, Copy::to_device, stream_);
    synchronize(stream_);
  }
  ClockStamp* stamp() const { return stamp_.as<ClockStamp>(); }

  /// Cycles over time of the launches since the last call, Hz; waits for them. Nothing below least_clock_window_s()
  /// together.
  std::optional<double> hz() {
    ClockStamp now{};
    copy_async(&now, stamp_.as<void>(), sizeof now, Copy::to_host, stream_);
    synchronize(stream_);
    const auto cycles = static_cast<double>(now.cycles - before_.cycles);
    const double seconds = static_cast<double>(now.ticks - before_.ticks) / tick_hz_;
    before_ = now;
    if (seconds < least_s_) return {};
    return cycles / seconds;
  }

 private:
  Stream stream_;
  double tick_hz_, least_s_;
  Buffer stamp_;
  ClockStamp before_{};
};

/// A benchmark of kernels that stamp the clock they saw.
class ClockedBenchmark : public GpuBenchmark {
 public:
  explicit ClockedBenchmark(Stream stream) : timer_(stream), clock_(stream) {}

 protected:
  Stream stream() const { return timer_.stream(); }
  ClockStamp* stamp() const { return clock_.stamp(); }
  /// One batch: what `enqueue()` puts on the stream, and whatever stamped since the batch before.
  template <class Enqueue>
  measure::TimedBatch timed(Enqueue&& enqueue) {
    return {.time_s = timer_.time_s(std::forward<Enqueue>(enqueue), [this] { busy(); }), .clock_hz = clock_.hz()};
  }

 private:
  EventTimer timer_;
  DeviceClock clock_;
};

}  // namespace gable::gpu
