#include "backends/gpu/benchmarks/near_benchmark.hpp"

#include <algorithm>
#include <cstdint>

#include "backends/gpu/benchmarks/device_clock.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/kernels/near.hpp"
#include "backends/gpu/kernels/stream.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t most_passes = 1U << 24;
constexpr std::uint64_t seed = 0x7ea2;

using Enqueue = void (*)(const void*, std::uint32_t*, int, int, ClockStamp*, Stream);

class NearBenchmark final : public GpuBenchmark {
 public:
  NearBenchmark(Enqueue enqueue, int multiprocessors, Stream stream)
      : enqueue_(enqueue),
        blocks_(multiprocessors * near_blocks_each),
        timer_(stream),
        clock_(stream),
        sink_(sizeof(double)),
        data_(near_bytes * static_cast<std::size_t>(blocks_)) {
    enqueue_fill(data_.as<void>(), data_.size_bytes(), seed, stream);
    enqueue_fill(sink_.as<void>(), sink_.size_bytes(), seed, stream);
    synchronize(stream);
  }

  double per_iteration() const override { return static_cast<double>(data_.size_bytes()); }
  std::optional<double> clock_hz() override { return clock_.hz(); }

  measure::Sample run(std::uint64_t passes) override {
    measure::Sample sample;
    sample.time_s = timer_.time_s([&] {
      for (std::uint64_t left = passes; left > 0;) {
        const auto now = std::min(left, most_passes);
        enqueue_(data_.as<void>(), sink_.as<std::uint32_t>(), blocks_, static_cast<int>(now), clock_.stamp(),
                 timer_.stream());
        left -= now;
      }
    });
    return sample;
  }

 private:
  Enqueue enqueue_;
  int blocks_;
  EventTimer timer_;
  DeviceClock clock_;
  Buffer sink_, data_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> make_l1_read(int multiprocessors, Stream stream) {
  return std::make_unique<NearBenchmark>(enqueue_l1_read, multiprocessors, stream);
}

std::unique_ptr<GpuBenchmark> make_shared_read(int multiprocessors, Stream stream) {
  return std::make_unique<NearBenchmark>(enqueue_shared_read, multiprocessors, stream);
}

}  // namespace gable::gpu
