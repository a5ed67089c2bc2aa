#pragma once
#include <cstdint>
#include <functional>

#include "backends/gpu/gpu_api.hpp"
#include "core/measure/sampler.hpp"

namespace gable::gpu {

/// Times what is enqueued on a stream by events on the device's own timeline.
class EventTimer {
 public:
  explicit EventTimer(Stream stream) : stream_(stream), start_(create_event()), stop_(create_event()) {}

  Stream stream() const { return stream_; }

  /// s between the events before and after what `enqueue()` puts on the stream, which must not wait. Waits for its end;
  /// `meanwhile()` runs before the wait.
  template <class Enqueue, class Meanwhile>
  double time_s(Enqueue&& enqueue, Meanwhile&& meanwhile) {
    record(start_.get(), stream_);
    enqueue();
    record(stop_.get(), stream_);
    meanwhile();
    synchronize(stop_.get());
    return elapsed_s(start_.get(), stop_.get());
  }

  /// The batch of so many calls of `once()`, behind one another.
  template <class Once>
  measure::TimedBatch repeated(
      std::uint64_t calls, Once&& once, const std::function<void()>& meanwhile = [] {}) {
    const auto all = [&] {
      for (std::uint64_t i = 0; i < calls; ++i) once();
    };
    return {.time_s = time_s(all, meanwhile)};
  }

 private:
  Stream stream_;
  OwnedEvent start_, stop_;
};

}  // namespace gable::gpu
