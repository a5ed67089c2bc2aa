#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/gpu/benchmarks/benchmarks.hpp"
#include "backends/gpu/benchmarks/clocked_benchmark.hpp"
#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/gpu/kernels/kernels.hpp"
#include "backends/gpu/operands.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t cycle_seed = 0xc4a5e;

/// Linking left the last lines in L2. Writing several times the size of L2 elsewhere evicts them.
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
      run(count);  // one pass over the cycle fills the caches as the chase itself does
    }
  }

  double per_iteration() const override { return 1.0; }

  measure::TimedBatch run(std::uint64_t accesses) override {
    enqueue_lead_in(stream());
    return timed([&] {
      enqueue_chase(level_, at_.as<std::uint64_t>(), words_.as<std::uint32_t>(), accesses, stamp(), stream());
    });
  }

 private:
  ChaseLevel level_;
  Buffer at_, words_, lines_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> DeviceMeasurements::chase(const ChaseSpec& spec) {
  return std::make_unique<ChaseBenchmark>(spec, stream());
}

namespace {

constexpr std::uint64_t most_near_passes = 1U << 24;
constexpr std::uint64_t near_seed = 0x7ea2;

using Enqueue = void (*)(const NearData&, int, int, ClockStamp*, Stream);

/// What every multiprocessor reads from its L1 or its shared memory (near_sizes.hpp), by as many blocks as
/// compute_blocks() says. An iteration is one pass of all blocks.
class NearBenchmark final : public ClockedBenchmark {
 public:
  NearBenchmark(Enqueue enqueue, const DeviceFacts& device, Stream stream)
      : ClockedBenchmark(stream),
        enqueue_(enqueue),
        parts_(device.multiprocessors * near_blocks_each),
        blocks_(compute_blocks(device.isa, device.multiprocessors, near_blocks_each)),
        sink_(sizeof(double)),
        data_(near_bytes * static_cast<std::size_t>(parts_)) {
    enqueue_fill(data_.as<void>(), data_.size_bytes(), near_seed, stream);
    enqueue_fill(sink_.as<void>(), sink_.size_bytes(), near_seed, stream);
    synchronize(stream);
  }

  double per_iteration() const override { return static_cast<double>(near_bytes) * blocks_; }

  measure::TimedBatch run(std::uint64_t passes) override {
    enqueue_lead_in(stream());
    return timed([&] {
      for (std::uint64_t left = passes; left > 0;) {
        const auto now = std::min(left, most_near_passes);
        enqueue_({data_.as<void>(), parts_, sink_.as<std::uint32_t>()}, blocks_, static_cast<int>(now), stamp(),
                 stream());
        left -= now;
      }
    });
  }

 private:
  Enqueue enqueue_;
  int parts_;   ///< of the data: as many as blocks work at once
  int blocks_;  ///< of the grid
  Buffer sink_, data_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> DeviceMeasurements::l1_read() {
  return std::make_unique<NearBenchmark>(enqueue_l1_read, device_, stream());
}

std::unique_ptr<GpuBenchmark> DeviceMeasurements::shared_read() {
  return std::make_unique<NearBenchmark>(enqueue_shared_read, device_, stream());
}

namespace {

/// Passes of one launch: what the second dimension of a grid holds.
constexpr std::uint64_t most_stream_passes = 65535;
/// Cold: what lies between two passes over the same array, in sizes of the outermost cache.
constexpr double cold_distance = 4.0;
constexpr std::uint64_t stream_seed = 0x6ab1e;

/// The streaming kernels over arrays filled with random values. An iteration is one pass.
class StreamBenchmark final : public ClockedBenchmark {
 public:
  StreamBenchmark(const StreamSpec& spec, const DeviceFacts& device, Stream stream)
      : ClockedBenchmark(stream), spec_(spec), sink_(sizeof(double)) {
    const int count = arrays_of(spec.access);
    const bool random = spec.access == Access::random;
    const std::size_t grain = random ? random_grain : stream_grain;
    // A block's tiles stay on its die in every pass if there is a whole number of rounds over the dies.
    const auto dies = static_cast<std::size_t>(device.l2_instances);
    auto grains = static_cast<std::size_t>(spec.working_set_bytes / count / static_cast<double>(grain));
    if (grains > dies && !random) grains -= grains % dies;
    bytes_ = std::max<std::size_t>(grains, 1) * grain;
    const double cache = std::max(device.l2_bytes, device.infinity_cache_bytes);
    if (spec.cold) sets_ = static_cast<std::size_t>(cold_distance * cache / per_iteration()) + 2;
    for (int i = 0; i < count; ++i) {
      const auto& all = buffers_.emplace_back(sets_ * bytes_);
      enqueue_fill(all.as<void>(), all.size_bytes(), stream_seed + static_cast<std::uint64_t>(i), stream);
    }
    enqueue_fill(sink_.as<void>(), sink_.size_bytes(), stream_seed, stream);
    synchronize(stream);
    // No more than fit at once, on AMD either: a part of the arrays would be gone over in all passes before another is
    // begun, so that the working set is smaller than it is said to be.
    const int resident = device.multiprocessors * resident_stream_blocks(spec.access);
    const int tiles = static_cast<int>(bytes_ / grain);
    blocks_ = spec.cold ? std::min(resident, tiles) : resident;
    // A whole number of rounds would give each block the same tile in every pass, which an L1 might keep.
    const int step = random ? 1 : std::max(device.l2_instances, 1);
    if (!spec.cold && blocks_ % tiles == 0 && blocks_ > step) blocks_ -= step;
    if (read_fraction(spec.access) < 1 && spec.working_set_bytes > cache) enqueue_ = enqueue_grid_stream;
  }

  double per_iteration() const override { return static_cast<double>(bytes_) * arrays_of(spec_.access); }

  measure::TimedBatch run(std::uint64_t passes) override {
    enqueue_lead_in(stream());
    return timed([&] {
      const std::uint64_t at_once = spec_.cold ? 1 : most_stream_passes;
      for (std::uint64_t left = passes; left > 0;) {
        const auto now = std::min(left, at_once);
        enqueue_(spec_.access, next_arrays(), blocks_, static_cast<int>(now), stream());
        left -= now;
      }
    });
  }

 private:
  StreamArrays next_arrays() {
    const std::size_t at = next_ * bytes_;
    next_ = (next_ + 1) % sets_;
    StreamArrays arrays;
    arrays.a = buffers_[0].as<std::byte>() + at;
    if (buffers_.size() > 1) arrays.b = buffers_[1].as<std::byte>() + at;
    if (buffers_.size() > 2) arrays.c = buffers_[2].as<std::byte>() + at;
    arrays.bytes = bytes_;
    arrays.sink = sink_.as<std::uint32_t>();
    arrays.stamp = stamp();
    return arrays;
  }

  StreamSpec spec_;
  Buffer sink_;
  std::vector<Buffer> buffers_;  ///< one for each array of the access, with all sets behind one another
  std::size_t bytes_{};          ///< of one array of one set
  std::size_t sets_{1};
  std::size_t next_{};  ///< set
  int blocks_{};
  decltype(&enqueue_stream) enqueue_{enqueue_stream};
};

}  // namespace

std::unique_ptr<GpuBenchmark> DeviceMeasurements::stream(const StreamSpec& spec) {
  return std::make_unique<StreamBenchmark>(spec, device_, stream());
}

}  // namespace gable::gpu
