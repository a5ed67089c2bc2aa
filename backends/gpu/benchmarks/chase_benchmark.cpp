#include "backends/gpu/benchmarks/chase_benchmark.hpp"

#include <cstdint>

#include "backends/gpu/benchmarks/device_clock.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/kernels/chase.hpp"
#include "backends/gpu/random_cycle.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t cycle_seed = 0xc4a5e;

class ChaseBenchmark final : public GpuBenchmark {
 public:
  ChaseBenchmark(const ChaseSpec& spec, Stream stream)
      : level_(spec.level), timer_(stream), clock_(stream), at_(sizeof(std::uint64_t)) {
    const bool shared = level_ == ChaseLevel::shared;
    const auto count =
        shared ? std::size_t{shared_chase_words} : static_cast<std::size_t>(spec.bytes) / chase_line_bytes;
    const auto next = random_cycle(count, cycle_seed);
    words_ = Buffer(next.size() * sizeof next.front());
    copy_async(words_.as<void>(), next.data(), words_.size_bytes(), Copy::to_device, stream);
    std::uint64_t start = 0;
    if (!shared) {
      lines_ = Buffer(count * chase_line_bytes);
      enqueue_link(lines_.as<void>(), words_.as<std::uint32_t>(), count, stream);
      start = reinterpret_cast<std::uint64_t>(lines_.as<void>());
    }
    copy_async(at_.as<void>(), &start, sizeof start, Copy::to_device, stream);
    synchronize(stream);
    // One way round: the caches then hold what the chase itself left there. Main memory holds it anyway.
    if (level_ != ChaseLevel::memory) follow(count);
  }

  double per_iteration() const override { return 1.0; }
  std::optional<double> clock_hz() override { return clock_.hz(); }

  measure::Sample run(std::uint64_t accesses) override {
    measure::Sample sample;
    sample.time_s = follow(accesses);
    return sample;
  }

 private:
  double follow(std::uint64_t accesses) {
    return timer_.time_s([&] {
      enqueue_chase(level_, at_.as<std::uint64_t>(), words_.as<std::uint32_t>(), accesses, clock_.stamp(),
                    timer_.stream());
    });
  }

  ChaseLevel level_;
  EventTimer timer_;
  DeviceClock clock_;
  Buffer at_, words_, lines_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> make_chase(const ChaseSpec& spec, Stream stream) {
  return std::make_unique<ChaseBenchmark>(spec, stream);
}

}  // namespace gable::gpu
