#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>

#include "backends/gpu/failure.hpp"
#include "runtime_names.hpp"

/// What the GPU backends need of a vendor's runtime, as inline functions. Both vendors' runtimes have the same
/// functions under names that begin differently; GABLE_RUNTIME(Malloc), of the vendor's runtime_names.hpp, is such a
/// name. Whatever fails throws DeviceFailure with the runtime's own words.
namespace gable::gpu {

using Stream = GABLE_RUNTIME(Stream_t);
using Event = GABLE_RUNTIME(Event_t);
using Graph = GABLE_RUNTIME(GraphExec_t);
enum class Copy { to_device, to_host, on_device };

inline void check(GABLE_RUNTIME(Error_t) result, const char* what) {
  if (result == GABLE_RUNTIME(Success)) return;
  // Clears an error that is not sticky; a sticky one fails the next call, too.
  static_cast<void>(GABLE_RUNTIME(GetLastError)());
  const bool usable = GABLE_RUNTIME(DeviceSynchronize)() == GABLE_RUNTIME(Success);
  fail(runtime_name, what, GABLE_RUNTIME(GetErrorString)(result), usable);
}

inline void set_device(int index) { check(GABLE_RUNTIME(SetDevice)(index), "choosing the device"); }
inline int current_device() {
  int index = 0;
  check(GABLE_RUNTIME(GetDevice)(&index), "asking for the current device");
  return index;
}
/// set_device() for destructors: a failure is left to the next call.
inline void return_to_device(int index) noexcept { static_cast<void>(GABLE_RUNTIME(SetDevice)(index)); }
inline void synchronize() { check(GABLE_RUNTIME(DeviceSynchronize)(), "waiting for the device"); }
/// After a kernel launch.
inline void check_launch(const char* kernel) { check(GABLE_RUNTIME(GetLastError)(), kernel); }

/// Blocks of a kernel that one multiprocessor holds at once.
inline int resident_blocks(const void* kernel, int threads) {
  int blocks = 0;
  check(GABLE_RUNTIME(OccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, kernel, threads, 0),
        "asking for a kernel's occupancy");
  return blocks;
}

inline void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  check(GABLE_RUNTIME(Malloc)(&pointer, bytes), "allocating device memory");
  return pointer;
}
inline void release(void* pointer) noexcept { static_cast<void>(GABLE_RUNTIME(Free)(pointer)); }
/// Page-locked memory of the host.
inline void* allocate_pinned(std::size_t bytes) {
  void* pointer = nullptr;
  check(runtime_allocate_pinned(&pointer, bytes, 0), "allocating pinned host memory");
  return pointer;
}
inline void release_pinned(void* pointer) noexcept { static_cast<void>(runtime_release_pinned(pointer)); }
inline double free_memory_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(GABLE_RUNTIME(MemGetInfo)(&free, &total), "asking for the free memory");
  return static_cast<double>(free);
}

inline GABLE_RUNTIME(MemcpyKind) runtime_kind(Copy kind) {
  switch (kind) {
    case Copy::to_device:
      return GABLE_RUNTIME(MemcpyHostToDevice);
    case Copy::to_host:
      return GABLE_RUNTIME(MemcpyDeviceToHost);
    default:
      return GABLE_RUNTIME(MemcpyDeviceToDevice);
  }
}
inline void copy_async(void* to, const void* from, std::size_t bytes, Copy kind, Stream stream) {
  check(GABLE_RUNTIME(MemcpyAsync)(to, from, bytes, runtime_kind(kind), stream), "copying");
}
inline void copy_peer_async(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                            Stream stream) {
  check(GABLE_RUNTIME(MemcpyPeerAsync)(to, to_device, from, from_device, bytes, stream), "copying between devices");
}
/// Whether `from` can reach the memory of `to` without the host.
inline bool can_reach(int from, int to) {
  int possible = 0;
  check(GABLE_RUNTIME(DeviceCanAccessPeer)(&possible, from, to), "asking for peer access");
  return possible != 0;
}
/// Lets `from`, which is the current device, reach the memory of `to`.
inline void enable_peer(int from, int to) {
  set_device(from);
  const auto result = GABLE_RUNTIME(DeviceEnablePeerAccess)(to, 0);
  if (result == GABLE_RUNTIME(ErrorPeerAccessAlreadyEnabled)) {
    static_cast<void>(GABLE_RUNTIME(GetLastError)());
  } else {
    check(result, "enabling peer access");
  }
}

/// A stream that does not wait for the default one.
inline Stream create_stream() {
  Stream stream{};
  check(GABLE_RUNTIME(StreamCreateWithFlags)(&stream, GABLE_RUNTIME(StreamNonBlocking)), "creating a stream");
  return stream;
}
inline void destroy(Stream stream) noexcept { static_cast<void>(GABLE_RUNTIME(StreamDestroy)(stream)); }
inline void synchronize(Stream stream) { check(GABLE_RUNTIME(StreamSynchronize)(stream), "waiting for a stream"); }

inline Event create_event() {
  Event event{};
  check(GABLE_RUNTIME(EventCreate)(&event), "creating an event");
  return event;
}
inline void destroy(Event event) noexcept { static_cast<void>(GABLE_RUNTIME(EventDestroy)(event)); }
inline void record(Event event, Stream stream) {
  check(GABLE_RUNTIME(EventRecord)(event, stream), "recording an event");
}
inline void synchronize(Event event) { check(GABLE_RUNTIME(EventSynchronize)(event), "waiting for an event"); }
inline void wait(Stream stream, Event event) {
  check(GABLE_RUNTIME(StreamWaitEvent)(stream, event, 0), "ordering two streams");
}
/// Between two recorded events that have passed, s.
inline double elapsed_s(Event start, Event stop) {
  float ms = 0;
  check(GABLE_RUNTIME(EventElapsedTime)(&ms, start, stop), "reading the events");
  return 1e-3 * static_cast<double>(ms);
}

/// What is enqueued on the stream from here on becomes a graph instead of running.
inline void begin_capture(Stream stream) {
  check(GABLE_RUNTIME(StreamBeginCapture)(stream, GABLE_RUNTIME(StreamCaptureModeThreadLocal)), "beginning a capture");
}
inline Graph end_capture(Stream stream) {
  GABLE_RUNTIME(Graph_t) graph{};
  check(GABLE_RUNTIME(StreamEndCapture)(stream, &graph), "ending a capture");
  Graph executable{};
  const auto result = GABLE_RUNTIME(GraphInstantiateWithFlags)(&executable, graph, 0);
  static_cast<void>(GABLE_RUNTIME(GraphDestroy)(graph));
  check(result, "instantiating a graph");
  return executable;
}
/// After a failure while capturing.
inline void abandon_capture(Stream stream) noexcept {
  GABLE_RUNTIME(Graph_t) graph{};
  static_cast<void>(GABLE_RUNTIME(StreamEndCapture)(stream, &graph));
  if (graph != nullptr) static_cast<void>(GABLE_RUNTIME(GraphDestroy)(graph));
}
inline void launch(Graph graph, Stream stream) {
  check(GABLE_RUNTIME(GraphLaunch)(graph, stream), "launching a graph");
}
inline void destroy(Graph graph) noexcept { static_cast<void>(GABLE_RUNTIME(GraphExecDestroy)(graph)); }

/// Owners: destroy() at the end.
struct Destroy {
  template <class Handle>
  void operator()(Handle handle) const noexcept {
    destroy(handle);
  }
};
using OwnedStream = std::unique_ptr<std::remove_pointer_t<Stream>, Destroy>;
using OwnedEvent = std::unique_ptr<std::remove_pointer_t<Event>, Destroy>;
using OwnedGraph = std::unique_ptr<std::remove_pointer_t<Graph>, Destroy>;

}  // namespace gable::gpu
