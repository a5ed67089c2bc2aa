#pragma once
#include <cstddef>
#include <cstdint>

#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/kernels/clock_stamp.hpp"

namespace gable::gpu {

/// Threads of a block, and bytes that each block reads in a pass from its own part of L1 or shared memory.
inline constexpr int near_threads = 256;
inline constexpr std::size_t near_bytes = std::size_t{32} * 1024;
/// Blocks of one multiprocessor: 768 threads with eight loads each in flight, and 96 KiB, which L1 and shared memory of
/// compute capability 8.0 and up hold.
inline constexpr int near_blocks_each = 3;

/// Enqueues `blocks` blocks that read near_bytes each, `passes` times, 16 bytes an access. From shared memory the lanes
/// of a warp read words behind one another, so no bank is asked twice at once. From L1 every block has its own part of
/// `data`. `data` holds blocks x near_bytes; for the sink see the read kernel in stream.cpp.
void enqueue_shared_read(const void* data, std::uint32_t* sink, int blocks, int passes, ClockStamp* stamp,
                         Stream stream);
void enqueue_l1_read(const void* data, std::uint32_t* sink, int blocks, int passes, ClockStamp* stamp, Stream stream);

}  // namespace gable::gpu
