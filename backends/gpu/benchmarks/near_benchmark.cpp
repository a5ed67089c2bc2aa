#include "backends/gpu/benchmarks/near_benchmark.hpp"

#include <algorithm>
#include <cstdint>

#include "backends/gpu/benchmarks/clocked_benchmark.hpp"
#include "backends/gpu/kernels/near.hpp"
#include "backends/gpu/kernels/stream.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t most_passes = 1U << 24;
constexpr std::uint64_t seed = 0x7ea2;

using Enqueue = void (*)(const void*, std::uint32_t*, int, int, ClockStamp*, Stream);

class NearBenchmark final : public ClockedBenchmark {
 public:
  NearBenchmark(Enqueue enqueue, int multiprocessors, Stream stream)
      : ClockedBenchmark(stream),
        enqueue_(enqueue),
        blocks_(multiprocessors * near_blocks_each),
        sink_(sizeof(double)),
        data_(near_bytes * static_cast<std::size_t>(blocks_)) {
    enqueue_fill(data_.as<void>(), data_.size_bytes(), seed, stream);
    enqueue_fill(sink_.as<void>(), sink_.size_bytes(), seed, stream);
    synchronize(stream);
  }

  double per_iteration() const override { return static_cast<double>(data_.size_bytes()); }

  measure::Sample run(std::uint64_t passes) override {
    return timed([&] {
      for (std::uint64_t left = passes; left > 0;) {
        const auto now = std::min(left, most_passes);
        enqueue_(data_.as<void>(), sink_.as<std::uint32_t>(), blocks_, static_cast<int>(now), stamp(), stream());
        left -= now;
      }
    });
  }

 private:
  Enqueue enqueue_;
  int blocks_;
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
