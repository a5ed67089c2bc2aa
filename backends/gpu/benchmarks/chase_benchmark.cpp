#include "backends/gpu/benchmarks/chase_benchmark.hpp"

#include <cstddef>
#include <cstdint>

#include "backends/gpu/benchmarks/clocked_benchmark.hpp"
#include "backends/gpu/kernels/chase.hpp"
#include "backends/gpu/kernels/stream.hpp"
#include "backends/gpu/random_cycle.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t cycle_seed = 0xc4a5e;

/// Linking left the last lines in L2. Writing as much again elsewhere, several times L2, puts them out.
void flush(std::size_t bytes, Stream stream) {
  const Buffer other(bytes);
  enqueue_fill(other.as<void>(), bytes, cycle_seed, stream);
  synchronize(stream);
}

class ChaseBenchmark final : public ClockedBenchmark {
 public:
  ChaseBenchmark(const ChaseSpec& spec, Stream stream)
      : ClockedBenchmark(stream), level_(spec.level), at_(sizeof(std::uint64_t)) {
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
    if (level_ == ChaseLevel::memory) {
      flush(lines_.size_bytes(), stream);
    } else {
      run(count);  // one way round: the caches then hold what the chase itself left there
    }
  }

  double per_iteration() const override { return 1.0; }

  measure::Sample run(std::uint64_t accesses) override {
    return timed([&] {
      enqueue_chase(level_, at_.as<std::uint64_t>(), words_.as<std::uint32_t>(), accesses, stamp(), stream());
    });
  }

 private:
  ChaseLevel level_;
  Buffer at_, words_, lines_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> make_chase(const ChaseSpec& spec, Stream stream) {
  return std::make_unique<ChaseBenchmark>(spec, stream);
}

}  // namespace gable::gpu
