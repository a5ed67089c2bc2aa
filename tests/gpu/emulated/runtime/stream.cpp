#include "tests/gpu/emulated/runtime/stream.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "tests/gpu/emulated/runtime/answer.hpp"

namespace gable::emulated {
namespace {

using Clock = std::chrono::steady_clock;
using Event = std::optional<Clock::time_point>;  ///< when it was recorded

/// The objects that programs know by handles of a type. Never destroyed: programs call the runtime while they end.
template <class Handle, class Object>
struct Handles {
  std::map<Handle, std::unique_ptr<Object>>& objects = *new std::map<Handle, std::unique_ptr<Object>>;

  cudaError_t add(Handle* handle, Object object = {}) {
    auto owned = std::make_unique<Object>(std::move(object));
    *handle = reinterpret_cast<Handle>(owned.get());
    objects[*handle] = std::move(owned);
    return cudaSuccess;
  }
  /// Null if there is none of this handle.
  Object* find(Handle handle) const {
    const auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second.get();
  }
  cudaError_t remove(Handle handle) {
    return answer([=, this] { return objects.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
  }
};
Handles<cudaStream_t, Stream> streams;
Handles<cudaEvent_t, Event> events;
Handles<cudaGraph_t, Recording> graphs;
Handles<cudaGraphExec_t, Recording> executables;

/// cudaSuccess if the stream is there and nothing captures it.
cudaError_t waited_for(cudaStream_t handle) {
  const Stream* stream = stream_of(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  return stream->is_captured ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

}  // namespace

Stream* stream_of(cudaStream_t handle) {
  static Stream& default_stream = *new Stream;
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread) return &default_stream;
  return streams.find(handle);
}

cudaError_t enqueue(cudaStream_t handle, std::function<void()> work) {
  Stream* stream = stream_of(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->is_captured) {
    stream->recorded.push_back(std::move(work));
  } else {
    work();
  }
  return cudaSuccess;
}

}  // namespace gable::emulated

using namespace gable::emulated;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return answer([=] { return streams.add(stream); });
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return streams.remove(stream); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return answer([=] { return waited_for(stream); });
}
/// What was recorded has passed.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return answer([=] { return events.find(event) == nullptr ? cudaErrorInvalidResourceHandle : waited_for(stream); });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  return answer([=] {
    if (const cudaError_t error = waited_for(handle); error != cudaSuccess) return error;
    if (stream_of(handle) == stream_of(nullptr)) return cudaErrorStreamCaptureUnsupported;
    *stream_of(handle) = {true, {}};
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return answer([=] {
    Stream* stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (!stream->is_captured) return cudaErrorIllegalState;
    return graphs.add(graph, std::exchange(*stream, {}).recorded);
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return answer([=] {
    const Recording* recording = graphs.find(graph);
    return recording == nullptr ? cudaErrorInvalidValue : executables.add(executable, *recording);
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return answer([=] {
    const Recording* recording = executables.find(executable);
    if (recording == nullptr) return cudaErrorInvalidValue;
    return enqueue(stream, [work = *recording] {
      for (const auto& one : work) one();
    });
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return graphs.remove(graph); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return executables.remove(executable); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return answer([=] { return events.add(event); });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return events.remove(event); }
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  return answer([=] {
    if (events.find(handle) == nullptr) return cudaErrorInvalidResourceHandle;
    return enqueue(stream, [handle] {
      if (Event* event = events.find(handle)) *event = Clock::now();
    });
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return answer([=] { return events.find(event) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess; });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return answer([=] {
    const Event *from = events.find(start), *to = events.find(stop);
    if (from == nullptr || to == nullptr || !*from || !*to) return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(**to - **from).count();
    return cudaSuccess;
  });
}

}  // extern "C"
