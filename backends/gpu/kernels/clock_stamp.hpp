#pragma once
#include <cstdint>

namespace gable::gpu {

/// How long the first thread of a kernel's first block lived, summed over launches: the clock is cycles / ns. In device
/// memory.
struct ClockStamp {
  std::uint64_t cycles;
  std::uint64_t nanoseconds;
};

}  // namespace gable::gpu
