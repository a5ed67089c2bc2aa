#include "backends/gpu/benchmarks/stream_benchmark.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/gpu/benchmarks/clocked_benchmark.hpp"
#include "backends/gpu/ceilings/bandwidth.hpp"
#include "backends/gpu/kernels/stream.hpp"

namespace gable::gpu {
namespace {

/// Passes of one launch; it then takes seconds at most.
constexpr std::uint64_t most_passes = 1U << 20;
/// Cold: what lies between two passes over the same array, in sizes of the outermost cache.
constexpr double cold_distance = 4.0;
constexpr std::uint64_t seed = 0x6ab1e;

class StreamBenchmark final : public ClockedBenchmark {
 public:
  StreamBenchmark(const StreamSpec& spec, const DeviceFacts& device, Stream stream)
      : ClockedBenchmark(stream), spec_(spec), sink_(sizeof(double)) {
    const int count = arrays_of(spec.access);
    // A block's tiles stay on its die in every pass if there is a whole number of rounds over the dies.
    const auto dies = static_cast<std::size_t>(device.l2_instances);
    auto grains = static_cast<std::size_t>(spec.working_set_bytes / count / stream_grain);
    if (grains > dies) grains -= grains % dies;
    bytes_ = std::max<std::size_t>(grains, 1) * stream_grain;
    const double cache = std::max(device.l2_bytes, device.infinity_cache_bytes);
    const auto sets = spec.cold ? static_cast<std::size_t>(cold_distance * cache / per_iteration()) + 2 : 1;
    for (std::size_t i = 0; i < sets * static_cast<std::size_t>(count); ++i) {
      buffers_.emplace_back(bytes_);
      enqueue_fill(buffers_.back().as<void>(), bytes_, seed + i, stream);
    }
    enqueue_fill(sink_.as<void>(), sink_.size_bytes(), seed, stream);
    synchronize(stream);
    const int resident = device.multiprocessors * resident_stream_blocks(spec.access);
    const int tiles = static_cast<int>(bytes_ / stream_grain);
    blocks_ = spec.cold ? std::min(resident, tiles) : resident;
    // A whole number of rounds would give each block the same tile in every pass, which an L1 might keep.
    const int step = std::max(device.l2_instances, 1);
    if (!spec.cold && blocks_ % tiles == 0 && blocks_ > step) blocks_ -= step;
  }

  double per_iteration() const override { return static_cast<double>(bytes_) * arrays_of(spec_.access); }

  measure::Sample run(std::uint64_t passes) override {
    return timed([&] {
      const std::uint64_t at_once = spec_.cold ? 1 : most_passes;
      for (std::uint64_t left = passes; left > 0;) {
        const auto now = std::min(left, at_once);
        enqueue_stream(spec_.access, next_arrays(), blocks_, static_cast<int>(now), stream());
        left -= now;
      }
    });
  }

 private:
  StreamArrays next_arrays() {
    const auto count = static_cast<std::size_t>(arrays_of(spec_.access));
    const auto* first = &buffers_[next_];
    next_ = (next_ + count) % buffers_.size();
    StreamArrays arrays;
    arrays.a = first[0].as<void>();
    if (count > 1) arrays.b = first[1].as<void>();
    if (count > 2) arrays.c = first[2].as<void>();
    arrays.bytes = bytes_;
    arrays.sink = sink_.as<std::uint32_t>();
    arrays.stamp = stamp();
    return arrays;
  }

  StreamSpec spec_;
  Buffer sink_;
  std::vector<Buffer> buffers_;
  std::size_t bytes_{};
  std::size_t next_{};
  int blocks_{};
};

}  // namespace

std::unique_ptr<GpuBenchmark> make_stream_benchmark(const StreamSpec& spec, const DeviceFacts& device, Stream stream) {
  return std::make_unique<StreamBenchmark>(spec, device, stream);
}

}  // namespace gable::gpu
