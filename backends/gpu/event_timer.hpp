#pragma once
#include <utility>

#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// Times what is enqueued on a stream by events on the device's own timeline.
class EventTimer {
 public:
  explicit EventTimer(Stream stream) : stream_(stream), start_(create_event()), stop_(create_event()) {}
  ~EventTimer() {
    destroy(start_);
    destroy(stop_);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  Stream stream() const { return stream_; }

  /// s between the events before and after what `enqueue()` puts on the stream, which must not wait. Waits for its end;
  /// `meanwhile()` runs before the wait.
  template <class Enqueue, class Meanwhile>
  double time_s(Enqueue&& enqueue, Meanwhile&& meanwhile) {
    record(start_, stream_);
    std::forward<Enqueue>(enqueue)();
    record(stop_, stream_);
    std::forward<Meanwhile>(meanwhile)();
    synchronize(stop_);
    return elapsed_s(start_, stop_);
  }
  template <class Enqueue>
  double time_s(Enqueue&& enqueue) {
    return time_s(std::forward<Enqueue>(enqueue), [] {});
  }

 private:
  Stream stream_;
  Event start_, stop_;
};

}  // namespace gable::gpu
