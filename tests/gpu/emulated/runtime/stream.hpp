#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

namespace gable::emulated {

/// Work of a stream that is recorded to be launched as a graph.
using Recording = std::vector<std::function<void()>>;

/// Work runs at once, in the thread that enqueues it, unless the stream is captured: then it is recorded.
struct Stream {
  bool is_captured = false;
  Recording recorded;
};

/// Null if there is no such stream.
Stream* stream_of(cudaStream_t handle);

/// To be called inside answer(), which makes an error of what `work` throws.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

}  // namespace gable::emulated
