#include "backends/gpu/kernels/kernels.hpp"

#include "backends/gpu/kernels/stamped.hpp"

namespace gable::gpu {
namespace {

__device__ std::uint32_t folded(std::uint32_t sum, const uint4& v) { return sum ^ v.x ^ v.y ^ v.z ^ v.w; }

/// Tiles of `unroll` x stream_threads accesses. body(i) gets the index of a thread's first access in a tile; the others
/// follow at distances of stream_threads. unroll 8: the `tiles` of all passes, in one row, are dealt to the blocks in
/// turn, so that none waits for another between two passes. unroll 1: the grid has a row a pass and a block a tile, but
/// the first block has the first `tiles` of all passes, so that it lives long enough to stamp the clock.
template <int unroll, class Body>
__device__ void for_tiles(std::uint32_t tiles, int passes, const Body& body) {
  constexpr std::size_t tile_vectors = std::size_t{stream_threads} * unroll;
  const std::uint64_t all = std::uint64_t{tiles} * static_cast<std::uint32_t>(passes);
  if constexpr (unroll == 1) {
    const bool is_first = blockIdx.x == 0;
    std::uint32_t tile = is_first ? 0 : tiles + blockIdx.x - 1;
#pragma unroll 1
    for (std::uint64_t left = is_first ? all : 1; left > 0; --left) {
      body(tile * tile_vectors + threadIdx.x);
      if (++tile == tiles) tile = 0;
    }
  } else {
    const std::uint32_t step = gridDim.x % tiles;
    std::uint32_t tile = blockIdx.x % tiles;
    for (std::uint64_t taken = blockIdx.x; taken < all; taken += gridDim.x) {
      body(tile * tile_vectors + threadIdx.x);
      tile += step;
      if (tile >= tiles) tile -= tiles;
    }
  }
}

/// Whether this is the first block of a later pass, whose tiles that of the first pass has.
template <int unroll>
__device__ bool has_no_tile() {
  return unroll == 1 && blockIdx.x == 0 && blockIdx.y > 0;
}

/// Which access begins the line that access i takes at random: each line of a power of two of tiles once a pass, in an
/// order that no cache holds and blocks at the same tile do not share. Nothing is lost: products with odd numbers
/// modulo a power of two and upper bits folded into lower ones can be undone.
__device__ std::size_t scattered(std::uint32_t i, std::uint32_t tiles) {
  constexpr std::uint32_t tile = stream_threads * stream_unroll, multiplier = 747796405, golden = 0x9e3779b9;
  const std::uint32_t mask = tiles * tile - 1;
  i = (i ^ (blockIdx.x * golden % tile)) * multiplier & mask;
  i = (i ^ i >> 9) * golden & mask;
  return std::size_t{i ^ i >> 11} * (random_grain / stream_grain);
}

/// The loads cannot be dropped: they are volatile, and what they bring is folded into a sum that is stored if it equals
/// a word in memory, whose value the compiler does not know. Almost no thread stores it. Addresses at random come from
/// registers, so that no load waits for another.
template <bool random>
__global__ void __launch_bounds__(stream_threads)
    read_kernel(const uint4* a, std::uint32_t tiles, int passes, std::uint32_t* sink, ClockStamp* stamp) {
  const Stamped stamped;
  std::uint32_t sum = 0;
  for_tiles<stream_unroll>(tiles, passes, [&](std::size_t i) {
    uint4 values[stream_unroll];
#pragma unroll
    for (int u = 0; u < stream_unroll; ++u) {
      const std::size_t at = i + u * stream_threads;
      values[u] = load_past_l1(a + (random ? scattered(static_cast<std::uint32_t>(at), tiles) : at));
    }
#pragma unroll
    for (int u = 0; u < stream_unroll; ++u) sum = folded(sum, values[u]);
  });
  if (sum == *sink) *sink = ~sum;
  stamped.finish(stamp);
}

/// The words differ from thread to thread and pass to pass, so that nothing compresses them.
template <int unroll>
__global__ void __launch_bounds__(stream_threads)
    write_kernel(uint4* a, std::uint32_t tiles, int passes, std::uint32_t seed, ClockStamp* stamp) {
  if (has_no_tile<unroll>()) return;
  const Stamped stamped;
  const std::uint32_t block = blockIdx.y * gridDim.x + blockIdx.x;
  std::uint32_t word = seed + (block * stream_threads + threadIdx.x) * 0x9e3779b9U;
  for_tiles<unroll>(tiles, passes, [&](std::size_t i) {
    word = word * 1664525U + 1013904223U;
    const uint4 value{word, word ^ 0x85ebca6bU, ~word, word ^ 0xc2b2ae35U};
#pragma unroll
    for (int u = 0; u < unroll; ++u) a[i + u * stream_threads] = value;
  });
  stamped.finish(stamp);
}

template <int unroll>
__global__ void __launch_bounds__(stream_threads)
    copy_kernel(uint4* a, const uint4* b, std::uint32_t tiles, int passes, ClockStamp* stamp) {
  if (has_no_tile<unroll>()) return;
  const Stamped stamped;
  for_tiles<unroll>(tiles, passes, [&](std::size_t i) {
    uint4 values[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) values[u] = load_past_l1(b + i + u * stream_threads);
#pragma unroll
    for (int u = 0; u < unroll; ++u) a[i + u * stream_threads] = values[u];
  });
  stamped.finish(stamp);
}

template <int unroll>
__global__ void __launch_bounds__(stream_threads) triad_kernel(double2* a, const uint4* b, const uint4* c, double k,
                                                               std::uint32_t tiles, int passes, ClockStamp* stamp) {
  if (has_no_tile<unroll>()) return;
  const Stamped stamped;
  constexpr int half = (unroll + 1) / 2;  // two arrays: as many accesses in flight as the others
  for_tiles<unroll>(tiles, passes, [&](std::size_t i) {
#pragma unroll
    for (int first = 0; first < unroll; first += half) {
      uint4 left[half];
      uint4 right[half];
#pragma unroll
      for (int u = 0; u < half; ++u) {
        left[u] = load_past_l1(b + i + (first + u) * stream_threads);
        right[u] = load_past_l1(c + i + (first + u) * stream_threads);
      }
#pragma unroll
      for (int u = 0; u < half; ++u) {
        const double2 of_b = as_doubles(left[u]);
        const double2 of_c = as_doubles(right[u]);
        a[i + (first + u) * stream_threads] = double2{fma(k, of_c.x, of_b.x), fma(k, of_c.y, of_b.y)};
      }
    }
  });
  stamped.finish(stamp);
}

/// splitmix64's finaliser over the element's number.
__global__ void fill_kernel(double* data, std::size_t count, std::uint64_t seed) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    std::uint64_t x = seed + (i + 1) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;
    data[i] = 0.5 + static_cast<double>(x >> 11) * 0x1p-53;
  }
}

template <int unroll>
void enqueue(Access access, const StreamArrays& arrays, dim3 blocks, std::size_t tiles, int passes, Stream stream) {
  constexpr double k = 0.4;
  constexpr std::uint32_t write_seed = 0x5eed;
  const auto count = static_cast<std::uint32_t>(tiles);
  const auto* b = static_cast<const uint4*>(arrays.b);
  if (access == Access::write) {
    write_kernel<unroll>
        <<<blocks, stream_threads, 0, stream>>>(static_cast<uint4*>(arrays.a), count, passes, write_seed, arrays.stamp);
  } else if (access == Access::copy) {
    copy_kernel<unroll>
        <<<blocks, stream_threads, 0, stream>>>(static_cast<uint4*>(arrays.a), b, count, passes, arrays.stamp);
  } else {
    triad_kernel<unroll><<<blocks, stream_threads, 0, stream>>>(
        static_cast<double2*>(arrays.a), b, static_cast<const uint4*>(arrays.c), k, count, passes, arrays.stamp);
  }
  check_launch("stream kernel");
}

}  // namespace

void enqueue_stream(Access access, const StreamArrays& arrays, int blocks, int passes, Stream stream) {
  const bool random = access == Access::random;
  const std::size_t tiles = arrays.bytes / (random ? random_grain : stream_grain);
  const dim3 grid(static_cast<unsigned>(blocks));
  if (!random && access != Access::read) return enqueue<stream_unroll>(access, arrays, grid, tiles, passes, stream);
  const auto kernel = random ? read_kernel<true> : read_kernel<false>;
  kernel<<<grid, stream_threads, 0, stream>>>(static_cast<const uint4*>(arrays.a), static_cast<std::uint32_t>(tiles),
                                              passes, arrays.sink, arrays.stamp);
  check_launch("stream kernel");
}

void enqueue_grid_stream(Access access, const StreamArrays& arrays, int blocks, int passes, Stream stream) {
  const std::size_t tiles = arrays.bytes / (stream_grain / stream_unroll);
  // half of a block's share: the first is through before the others are (with all of it an H200 waits for it)
  const std::size_t of_first = tiles / (2 * static_cast<std::size_t>(blocks)) + 1;
  const dim3 grid(static_cast<unsigned>(tiles - of_first + 1), static_cast<unsigned>(passes));
  enqueue<1>(access, arrays, grid, of_first, passes, stream);
}

int resident_stream_blocks(Access access) {
  switch (access) {
    case Access::read:
      return resident_blocks(reinterpret_cast<const void*>(&read_kernel<false>), stream_threads);
    case Access::random:
      return resident_blocks(reinterpret_cast<const void*>(&read_kernel<true>), stream_threads);
    case Access::write:
      return resident_blocks(reinterpret_cast<const void*>(&write_kernel<stream_unroll>), stream_threads);
    case Access::copy:
      return resident_blocks(reinterpret_cast<const void*>(&copy_kernel<stream_unroll>), stream_threads);
    default:
      return resident_blocks(reinterpret_cast<const void*>(&triad_kernel<stream_unroll>), stream_threads);
  }
}

void enqueue_fill(void* data, std::size_t bytes, std::uint64_t seed, Stream stream) {
  constexpr int threads = 256;
  const std::size_t count = bytes / sizeof(double);
  const auto blocks = static_cast<unsigned>(count / threads + 1 < 65536 ? count / threads + 1 : 65536);
  fill_kernel<<<blocks, threads, 0, stream>>>(static_cast<double*>(data), count, seed);
  check_launch("fill kernel");
}

}  // namespace gable::gpu
