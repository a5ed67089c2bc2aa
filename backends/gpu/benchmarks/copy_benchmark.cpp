#include "backends/gpu/benchmarks/copy_benchmark.hpp"

#include <cstddef>
#include <cstdint>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/kernels/stream.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t seed = 0xc0b1;

class RuntimeCopy final : public GpuBenchmark {
 public:
  RuntimeCopy(double bytes, Stream stream)
      : timer_(stream), from_(static_cast<std::size_t>(bytes / 2)), to_(from_.size_bytes()) {
    enqueue_fill(from_.as<void>(), from_.size_bytes(), seed, stream);
    synchronize(stream);
  }
  double per_iteration() const override { return 2.0 * static_cast<double>(from_.size_bytes()); }

  measure::Sample run(std::uint64_t copies) override {
    measure::Sample sample;
    sample.time_s = timer_.time_s([&] {
      for (std::uint64_t i = 0; i < copies; ++i) {
        copy_async(to_.as<void>(), from_.as<void>(), from_.size_bytes(), Copy::on_device, timer_.stream());
      }
    });
    return sample;
  }

 private:
  EventTimer timer_;
  Buffer from_, to_;
};

class PeerCopy final : public GpuBenchmark {
 public:
  PeerCopy(int from, int to, double bytes, Stream stream)
      : from_(from),
        to_(to),
        timer_(stream),
        source_(static_cast<std::size_t>(bytes)),
        target_(allocate_on(to, source_.size_bytes())) {
    enqueue_fill(source_.as<void>(), source_.size_bytes(), seed, stream);
    synchronize(stream);
  }
  double per_iteration() const override { return static_cast<double>(source_.size_bytes()); }

  measure::Sample run(std::uint64_t copies) override {
    measure::Sample sample;
    sample.time_s = timer_.time_s([&] {
      for (std::uint64_t i = 0; i < copies; ++i) {
        copy_peer_async(target_.as<void>(), to_, source_.as<void>(), from_, source_.size_bytes(), timer_.stream());
      }
    });
    return sample;
  }

 private:
  int from_, to_;
  EventTimer timer_;
  Buffer source_, target_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> make_runtime_copy(double bytes, Stream stream) {
  return std::make_unique<RuntimeCopy>(bytes, stream);
}

std::unique_ptr<GpuBenchmark> make_peer_copy(int from, int to, double bytes, Stream stream) {
  return std::make_unique<PeerCopy>(from, to, bytes, stream);
}

}  // namespace gable::gpu
