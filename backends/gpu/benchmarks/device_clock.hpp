#pragma once
#include <cstdint>
#include <optional>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/kernels/clock_stamp.hpp"

namespace gable::gpu {

/// The clock that kernels saw: a stamp in device memory that every launch adds to.
class DeviceClock {
 public:
  explicit DeviceClock(Stream stream) : stream_(stream), stamp_(sizeof(ClockStamp)) {
    const ClockStamp zero{};
    copy_async(stamp_.as<void>(), &zero, sizeof zero, Copy::to_device, stream_);
    synchronize(stream_);
  }
  ClockStamp* stamp() const { return stamp_.as<ClockStamp>(); }

  /// Cycles over time of all launches so far, Hz. Nothing below a millisecond together: the time counter moves in steps
  /// of up to a microsecond.
  std::optional<double> hz() const {
    constexpr std::uint64_t least_ns = 1000000;
    ClockStamp seen{};
    copy_async(&seen, stamp_.as<void>(), sizeof seen, Copy::to_host, stream_);
    synchronize(stream_);
    if (seen.nanoseconds < least_ns) return {};
    return 1e9 * static_cast<double>(seen.cycles) / static_cast<double>(seen.nanoseconds);
  }

 private:
  Stream stream_;
  Buffer stamp_;
};

}  // namespace gable::gpu
