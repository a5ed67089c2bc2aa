#include "backends/gpu/benchmarks/benchmarks.hpp"

#include <chrono>
#include <cstdint>

#include "backends/gpu/captured_graph.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/kernels/kernels.hpp"

namespace gable::gpu {
namespace {

class HostTimedLaunches final : public GpuBenchmark {
 public:
  HostTimedLaunches(bool wait_each, Stream stream) : wait_each_(wait_each), stream_(stream) {}
  double per_iteration() const override { return 1.0; }

  measure::TimedBatch run(std::uint64_t launches) override {
    synchronize(stream_);
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < launches; ++i) {
      enqueue_empty(stream_);
      if (wait_each_) synchronize(stream_);
    }
    synchronize(stream_);
    return {.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
  }

 private:
  bool wait_each_;
  Stream stream_;
};

/// An iteration is one replay of a graph of `nodes` kernels, each of which waits for the one before.
class GraphReplay final : public GpuBenchmark {
 public:
  explicit GraphReplay(Stream stream)
      : timer_(stream), graph_(stream, [stream] {
          for (int i = 0; i < nodes; ++i) enqueue_empty(stream);
        }) {}
  double per_iteration() const override { return 1.0 / nodes; }

  measure::TimedBatch run(std::uint64_t replays) override {
    return timer_.repeated(replays, [&] { graph_.replay(); });
  }

 private:
  static constexpr int nodes = 256;
  EventTimer timer_;
  CapturedGraph graph_;
};

}  // namespace

/// enqueue and round_trip are timed on the host, because their cost is the host's; graph_node by events.
std::unique_ptr<GpuBenchmark> DeviceMeasurements::launches(LaunchKind kind) {
  if (kind == LaunchKind::graph_node) return std::make_unique<GraphReplay>(stream());
  return std::make_unique<HostTimedLaunches>(kind == LaunchKind::round_trip, stream());
}

}  // namespace gable::gpu
