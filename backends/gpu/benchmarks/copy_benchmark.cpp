#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "backends/gpu/benchmarks/benchmarks.hpp"
#include "backends/gpu/buffer.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/kernels/kernels.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t seed = 0xc0b1;

using EnqueueCopy = std::function<void(void* to, const void* from, std::size_t bytes, Stream stream)>;

/// Copies of a buffer of random values by the runtime.
class RuntimeCopy final : public GpuBenchmark {
 public:
  /// bytes: what a copy counts.
  RuntimeCopy(Buffer from, Buffer to, double bytes, EnqueueCopy copy, Stream stream)
      : timer_(stream), from_(std::move(from)), to_(std::move(to)), bytes_(bytes), copy_(std::move(copy)) {
    enqueue_fill(from_.as<void>(), from_.size_bytes(), seed, stream);
    synchronize(stream);
  }
  double per_iteration() const override { return bytes_; }

  measure::TimedBatch run(std::uint64_t copies) override {
    return timer_.repeated(copies,
                           [&] { copy_(to_.as<void>(), from_.as<void>(), from_.size_bytes(), timer_.stream()); });
  }

 private:
  EventTimer timer_;
  Buffer from_, to_;
  double bytes_;
  EnqueueCopy copy_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> DeviceMeasurements::runtime_copy(double bytes) {
  const auto half = static_cast<std::size_t>(bytes / 2);
  const auto copy = [](void* to, const void* from, std::size_t size, Stream stream) {
    copy_async(to, from, size, Copy::on_device, stream);
  };
  return std::make_unique<RuntimeCopy>(Buffer(half), Buffer(half), 2.0 * static_cast<double>(half), copy, stream());
}

std::unique_ptr<GpuBenchmark> DeviceMeasurements::peer_copy(int to_device, double bytes) {
  const int from_device = device_.index;
  if (can_reach(from_device, to_device)) enable_peer(from_device, to_device);
  const auto size = static_cast<std::size_t>(bytes);
  const auto copy = [from_device, to_device](void* to, const void* from, std::size_t count, Stream stream) {
    copy_peer_async(to, to_device, from, from_device, count, stream);
  };
  return std::make_unique<RuntimeCopy>(Buffer(size), allocate_on(to_device, size), static_cast<double>(size), copy,
                                       stream());
}

namespace {

constexpr std::uint64_t link_seed = 0x11c;

/// Memory of the host, filled with random words, page-locked or as the system gives it.
class HostMemory {
 public:
  HostMemory(std::size_t bytes, bool pinned) : pinned_(pinned ? allocate_pinned(bytes) : nullptr) {
    if (!pinned) pageable_.resize(bytes / sizeof(std::uint64_t));
    std::mt19937_64 random(link_seed);
    auto* words = static_cast<std::uint64_t*>(data());
    for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) words[i] = random();
  }
  ~HostMemory() {
    if (pinned_ != nullptr) release_pinned(pinned_);
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  void* data() { return pinned_ != nullptr ? pinned_ : pageable_.data(); }

 private:
  void* pinned_;
  std::vector<std::uint64_t> pageable_;
};

/// Copies between host and device by the runtime. An iteration is one copy, or one each way at once; both ways then
/// count together.
class HostLink final : public GpuBenchmark {
 public:
  HostLink(const LinkSpec& spec, Stream stream)
      : direction_(spec.direction),
        bytes_(static_cast<std::size_t>(spec.bytes) / 256 * 256),
        timer_(stream),
        down_host_(bytes_, spec.pinned),
        up_host_(bytes_, spec.pinned),
        down_device_(bytes_),
        up_device_(bytes_),
        other_(create_stream()),
        forked_(create_event()),
        joined_(create_event()) {
    enqueue_fill(up_device_.as<void>(), bytes_, link_seed, stream);
    synchronize(stream);
  }
  double per_iteration() const override {
    return static_cast<double>(bytes_) * (direction_ == Direction::both ? 2.0 : 1.0);
  }

  measure::TimedBatch run(std::uint64_t copies) override {
    if (direction_ == Direction::both) return timer_.repeated(1, [&] { both(copies); });
    return timer_.repeated(copies, [&] { one(direction_, timer_.stream()); });
  }

 private:
  void one(Direction direction, Stream stream) {
    if (direction == Direction::to_device) {
      copy_async(down_device_.as<void>(), down_host_.data(), bytes_, Copy::to_device, stream);
    } else {
      copy_async(up_host_.data(), up_device_.as<void>(), bytes_, Copy::to_host, stream);
    }
  }
  /// The second stream starts behind the first event and is waited for before the second.
  void both(std::uint64_t copies) {
    record(forked_.get(), timer_.stream());
    wait(other_.get(), forked_.get());
    for (std::uint64_t i = 0; i < copies; ++i) {
      one(Direction::to_device, timer_.stream());
      one(Direction::to_host, other_.get());
    }
    record(joined_.get(), other_.get());
    wait(timer_.stream(), joined_.get());
  }

  Direction direction_;
  std::size_t bytes_;
  EventTimer timer_;
  HostMemory down_host_, up_host_;
  Buffer down_device_, up_device_;
  OwnedStream other_;
  OwnedEvent forked_, joined_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> DeviceMeasurements::link(const LinkSpec& spec) {
  return std::make_unique<HostLink>(spec, stream());
}

}  // namespace gable::gpu
