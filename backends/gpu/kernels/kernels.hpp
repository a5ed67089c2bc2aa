#pragma once
#include <cstddef>
#include <cstdint>

#include "backends/gpu/gpu_api.hpp"
#include "core/model/ceiling.hpp"
#include "near_sizes.hpp"

namespace gable::gpu {

/// How long the first thread of a kernel's first block lived, summed over launches: the clock is cycles / (ticks /
/// tick_hz()). In device memory.
struct ClockStamp {
  std::uint64_t cycles;
  std::uint64_t ticks;  ///< of the device's time counter
};

enum class ChaseLevel;

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

/// Enqueues a kernel of one warp that does nothing.
void enqueue_empty(Stream stream);

/// Enqueues a kernel of one warp that touches no memory and takes some ten microseconds, in which the host enqueues
/// what is timed: put before the first event, it keeps the cost of starting work, HIP's markers above all, out of the
/// time.
void enqueue_lead_in(Stream stream);

/// Threads of a block, and bytes that each block reads in a pass from L1 or shared memory. How much of them lies there
/// is the vendor's near_sizes.hpp; where that is less, a pass reads it several times.
inline constexpr int near_threads = 256;
inline constexpr std::size_t near_bytes = std::size_t{32} * 1024;

/// What they read: `parts` times near_bytes, of which block b has part b modulo parts. In device memory.
struct NearData {
  const void* words{};
  int parts{};
  std::uint32_t* sink{};  ///< one word; see the read kernel in stream.cpp
};

/// Enqueues `blocks` blocks that read near_bytes each, `passes` times, 16 bytes an access. From shared memory the lanes
/// of a warp read words behind one another, so no bank is asked twice at once.
void enqueue_shared_read(const NearData& data, int blocks, int passes, ClockStamp* stamp, Stream stream);
void enqueue_l1_read(const NearData& data, int blocks, int passes, ClockStamp* stamp, Stream stream);

/// Arrays of a stream, 16-byte aligned; a is written (read: read), b and c are read where the access has them.
struct StreamArrays {
  void* a{};
  const void* b{};
  const void* c{};
  std::size_t bytes{};    ///< of each array, a multiple of stream_grain; random: random_grain times a power of two
  std::uint32_t* sink{};  ///< one word; see the read kernel
  ClockStamp* stamp{};
};

/// Threads of a block, and 16-byte accesses that a thread has in flight (enqueue_stream()).
inline constexpr int stream_threads = 256;
inline constexpr int stream_unroll = 8;
/// Bytes that a block works on at once.
inline constexpr std::size_t stream_grain = std::size_t{16} * stream_threads * stream_unroll;
/// At random it loads the first 16 bytes of each line of 64.
inline constexpr std::size_t random_grain = 4 * stream_grain;

/// Enqueues one kernel of `blocks` blocks that goes `passes` times over the arrays: read, random, write a = constant,
/// copy a = b, triad a = b + k c in doubles.
void enqueue_stream(Access access, const StreamArrays& arrays, int blocks, int passes, Stream stream);

/// The same for write, copy and triad with one access a thread and as many blocks as that takes: 5 to 8 % faster into
/// an H200's HBM. `blocks` are about those that fit at once; at most 65535 passes.
void enqueue_grid_stream(Access access, const StreamArrays& arrays, int blocks, int passes, Stream stream);

/// Blocks of the stream kernels that one multiprocessor holds at once, by eight accesses a thread.
int resident_stream_blocks(Access access);

/// Enqueues a kernel that fills words with random bits (doubles: with values in [0.5, 1.5)).
void enqueue_fill(void* data, std::size_t bytes, std::uint64_t seed, Stream stream);

}  // namespace gable::gpu
