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
    graph_ = end_capture(stream_);
  }
  ~CapturedGraph() { destroy(graph_); }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  /// Enqueues all of it once more.
  void replay() { launch(graph_, stream_); }

 private:
  Stream stream_;
  Graph graph_{};
};

}  // namespace gable::gpu
