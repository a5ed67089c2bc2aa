#pragma once
#include <cstddef>
#include <cstdint>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/kernels/clock_stamp.hpp"

namespace gable::gpu {

/// Links of shared memory's chase; few, because the kernel brings them there first.
inline constexpr int shared_chase_words = 1024;
/// Distance of two links in device memory.
inline constexpr std::size_t chase_line_bytes = 128;

/// Enqueues one thread that follows `steps` links of a cycle, from the one in *at, and leaves there where it came to.
/// In device memory a link is the address of the next one; for ChaseLevel::shared `words` are shared_chase_words
/// numbers of a cycle, which the kernel first brings into shared memory; *at is then an offset in bytes.
void enqueue_chase(ChaseLevel level, std::uint64_t* at, const std::uint32_t* words, std::uint64_t steps,
                   ClockStamp* stamp, Stream stream);

/// Enqueues a kernel that turns a cycle of line numbers into links: the 128-byte line i of `lines` begins with the
/// address of line next[i].
void enqueue_link(void* lines, const std::uint32_t* next, std::size_t count, Stream stream);

}  // namespace gable::gpu
