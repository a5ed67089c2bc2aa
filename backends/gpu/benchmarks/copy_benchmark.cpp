#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "backends/gpu/benchmarks/benchmarks.hpp"
#include "backends/gpu/buffer.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/kernels/kernels.hpp"

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

  measure::TimedBatch run(std::uint64_t copies) override {
    measure::TimedBatch batch;
    batch.time_s = timer_.time_s([&] {
      for (std::uint64_t i = 0; i < copies; ++i) {
        copy_async(to_.as<void>(), from_.as<void>(), from_.size_bytes(), Copy::on_device, timer_.stream());
      }
    });
    return batch;
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

  measure::TimedBatch run(std::uint64_t copies) override {
    measure::TimedBatch batch;
    batch.time_s = timer_.time_s([&] {
      for (std::uint64_t i = 0; i < copies; ++i) {
        copy_peer_async(target_.as<void>(), to_, source_.as<void>(), from_, source_.size_bytes(), timer_.stream());
      }
    });
    return batch;
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
  ~HostLink() override {
    destroy(joined_);
    destroy(forked_);
    destroy(other_);
  }
  HostLink(const HostLink&) = delete;
  HostLink& operator=(const HostLink&) = delete;

  double per_iteration() const override {
    return static_cast<double>(bytes_) * (direction_ == Direction::both ? 2.0 : 1.0);
  }

  measure::TimedBatch run(std::uint64_t copies) override {
    measure::TimedBatch batch;
    batch.time_s = timer_.time_s([&] {
      if (direction_ == Direction::both) {
        both(copies);
      } else {
        for (std::uint64_t i = 0; i < copies; ++i) one(direction_, timer_.stream());
      }
    });
    return batch;
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
    record(forked_, timer_.stream());
    wait(other_, forked_);
    for (std::uint64_t i = 0; i < copies; ++i) {
      one(Direction::to_device, timer_.stream());
      one(Direction::to_host, other_);
    }
    record(joined_, other_);
    wait(timer_.stream(), joined_);
  }

  Direction direction_;
  std::size_t bytes_;
  EventTimer timer_;
  HostMemory down_host_, up_host_;
  Buffer down_device_, up_device_;
  Stream other_;
  Event forked_, joined_;
};

}  // namespace

std::unique_ptr<GpuBenchmark> make_link(const LinkSpec& spec, Stream stream) {
  return std::make_unique<HostLink>(spec, stream);
}

}  // namespace gable::gpu
