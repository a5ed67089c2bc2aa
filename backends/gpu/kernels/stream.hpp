#pragma once
#include <cstddef>
#include <cstdint>

#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/kernels/clock_stamp.hpp"
#include "core/model/ceiling.hpp"

namespace gable::gpu {

/// Arrays of a stream, 16-byte aligned; a is written (read: read), b and c are read where the access has them.
struct StreamArrays {
  void* a{};
  const void* b{};
  const void* c{};
  std::size_t bytes{};    ///< of each array, a multiple of stream_grain
  std::uint32_t* sink{};  ///< one word; see the read kernel
  ClockStamp* stamp{};
};

/// Threads of a block, and 16-byte accesses that a thread has in flight.
inline constexpr int stream_threads = 256;
inline constexpr int stream_unroll = 8;
/// Bytes that a block works on at once.
inline constexpr std::size_t stream_grain = std::size_t{16} * stream_threads * stream_unroll;

/// Enqueues one kernel of `blocks` blocks that goes `passes` times over the arrays: read, write a = constant, copy a =
/// b, triad a = b + k c in doubles.
void enqueue_stream(Access access, const StreamArrays& arrays, int blocks, int passes, Stream stream);

/// Blocks of the stream kernels that one multiprocessor holds at once.
int resident_stream_blocks(Access access);

/// Enqueues a kernel that fills words with random bits (doubles: with values in [0.5, 1.5)).
void enqueue_fill(void* data, std::size_t bytes, std::uint64_t seed, Stream stream);

}  // namespace gable::gpu
