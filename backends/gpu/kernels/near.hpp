#pragma once
#include <cstddef>
#include <cstdint>

#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/kernels/clock_stamp.hpp"
#include "near_sizes.hpp"

namespace gable::gpu {

/// Threads of a block, and bytes that each block reads in a pass from L1 or shared memory. How much of them lies there
/// is the vendor's near_sizes.hpp; where that is less, a pass reads it several times.
inline constexpr int near_threads = 256;
inline constexpr std::size_t near_bytes = std::size_t{32} * 1024;

/// Enqueues `blocks` blocks that read near_bytes each, `passes` times, 16 bytes an access. From shared memory the lanes
/// of a warp read words behind one another, so no bank is asked twice at once. `data` holds blocks x near_bytes; for
/// the sink see the read kernel in stream.cpp.
void enqueue_shared_read(const void* data, std::uint32_t* sink, int blocks, int passes, ClockStamp* stamp,
                         Stream stream);
void enqueue_l1_read(const void* data, std::uint32_t* sink, int blocks, int passes, ClockStamp* stamp, Stream stream);

}  // namespace gable::gpu
