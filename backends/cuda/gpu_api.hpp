#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

#include "backends/gpu/failure.hpp"

/// What backends/gpu needs of a vendor's runtime, as inline functions; backends/hip has the same for HIP. Everything
/// but what is noexcept throws DeviceFailure with the runtime's own words.
namespace gable::gpu {

using Stream = cudaStream_t;
using Event = cudaEvent_t;
using Graph = cudaGraphExec_t;
enum class Copy { to_device, to_host, on_device };

inline constexpr const char* runtime_name = "CUDA";

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // an error that does not stay is forgotten here; one that stays is seen by the next call
  const bool usable = cudaDeviceSynchronize() == cudaSuccess;
  fail(runtime_name, what, cudaGetErrorString(result), usable);
}

inline void set_device(int index) { check(cudaSetDevice(index), "choosing the device"); }
inline int current_device() {
  int index = 0;
  check(cudaGetDevice(&index), "asking for the current device");
  return index;
}
/// set_device() for destructors: a failure is left to the next call.
inline void return_to_device(int index) noexcept { cudaSetDevice(index); }
inline void synchronize() { check(cudaDeviceSynchronize(), "waiting for the device"); }
/// After a kernel launch.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

/// Blocks of a kernel that one multiprocessor holds at once.
inline int resident_blocks(const void* kernel, int threads) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0), "asking for a kernel's occupancy");
  return blocks;
}

inline void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, bytes), "allocating device memory");
  return pointer;
}
inline void release(void* pointer) noexcept { cudaFree(pointer); }
/// Page-locked memory of the host.
inline void* allocate_pinned(std::size_t bytes) {
  void* pointer = nullptr;
  check(cudaHostAlloc(&pointer, bytes, cudaHostAllocDefault), "allocating pinned host memory");
  return pointer;
}
inline void release_pinned(void* pointer) noexcept { cudaFreeHost(pointer); }
inline double free_memory_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for the free memory");
  return static_cast<double>(free);
}

inline cudaMemcpyKind runtime_kind(Copy kind) {
  switch (kind) {
    case Copy::to_device:
      return cudaMemcpyHostToDevice;
    case Copy::to_host:
      return cudaMemcpyDeviceToHost;
    default:
      return cudaMemcpyDeviceToDevice;
  }
}
inline void copy_async(void* to, const void* from, std::size_t bytes, Copy kind, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes, runtime_kind(kind), stream), "copying");
}
inline void copy_peer_async(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                            Stream stream) {
  check(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream), "copying between devices");
}
/// Whether `from` can reach the memory of `to` without the host.
inline bool can_reach(int from, int to) {
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, from, to), "asking for peer access");
  return possible != 0;
}
/// Lets `from`, which is the current device, reach the memory of `to`.
inline void enable_peer(int from, int to) {
  set_device(from);
  const auto result = cudaDeviceEnablePeerAccess(to, 0);
  if (result == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
  } else {
    check(result, "enabling peer access");
  }
}

/// A stream that does not wait for the default one.
inline Stream create_stream() {
  Stream stream{};
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  return stream;
}
inline void destroy(Stream stream) noexcept { cudaStreamDestroy(stream); }
inline void synchronize(Stream stream) { check(cudaStreamSynchronize(stream), "waiting for a stream"); }

inline Event create_event() {
  Event event{};
  check(cudaEventCreate(&event), "creating an event");
  return event;
}
inline void destroy(Event event) noexcept { cudaEventDestroy(event); }
inline void record(Event event, Stream stream) { check(cudaEventRecord(event, stream), "recording an event"); }
inline void synchronize(Event event) { check(cudaEventSynchronize(event), "waiting for an event"); }
inline void wait(Stream stream, Event event) { check(cudaStreamWaitEvent(stream, event, 0), "ordering two streams"); }
/// Between two recorded events that have passed, s.
inline double elapsed_s(Event start, Event stop) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start, stop), "reading the events");
  return 1e-3 * static_cast<double>(ms);
}

/// What is enqueued on the stream from here on becomes a graph instead of running.
inline void begin_capture(Stream stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
}
inline Graph end_capture(Stream stream) {
  cudaGraph_t graph{};
  check(cudaStreamEndCapture(stream, &graph), "ending a capture");
  Graph executable{};
  const auto result = cudaGraphInstantiateWithFlags(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(result, "instantiating a graph");
  return executable;
}
inline void launch(Graph graph, Stream stream) { check(cudaGraphLaunch(graph, stream), "launching a graph"); }
inline void destroy(Graph graph) noexcept { cudaGraphExecDestroy(graph); }

}  // namespace gable::gpu
