#pragma once
#include <utility>

#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// What a call enqueues on a stream, captured once and replayed there. The call must neither wait nor allocate.
class CapturedGraph {
 public:
  template <class Enqueue>
  CapturedGraph(Stream stream, Enqueue&& enqueue) : stream_(stream) {
    begin_capture(stream_);
    try {
      std::forward<Enqueue>(enqueue)();
    } catch (...) {
      abandon_capture(stream_);
      throw;
    }
    graph_.reset(end_capture(stream_));
  }

  /// Enqueues all of it once more.
  void replay() { launch(graph_.get(), stream_); }

 private:
  Stream stream_;
  OwnedGraph graph_;
};

}  // namespace gable::gpu
