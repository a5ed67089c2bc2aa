#include "backends/gpu/kernels/kernels.hpp"

#include "backends/gpu/kernels/stamped.hpp"

namespace gable::gpu {
namespace {

__device__ std::uint32_t folded(std::uint32_t sum, const uint4& v) { return sum ^ v.x ^ v.y ^ v.z ^ v.w; }

/// Tiles of stream_unroll x stream_threads accesses, those of all passes in one row, are dealt to the blocks in turn,
/// so that none waits for another between two passes. body(i) gets the index of a thread's first access in a tile; the
/// others follow at distances of stream_threads.
template <class Body>
__device__ void for_tiles(std::size_t vectors, int passes, const Body& body) {
  constexpr std::size_t tile_vectors = std::size_t{stream_threads} * stream_unroll;
  const auto tiles = static_cast<std::uint32_t>(vectors / tile_vectors);
  const std::uint32_t step = gridDim.x % tiles;
  std::uint32_t tile = blockIdx.x % tiles;
  const std::uint64_t all = std::uint64_t{tiles} * static_cast<std::uint32_t>(passes);
  for (std::uint64_t taken = blockIdx.x; taken < all; taken += gridDim.x) {
    body(tile * tile_vectors + threadIdx.x);
    tile += step;
    if (tile >= tiles) tile -= tiles;
  }
}

/// The loads cannot be dropped: they are volatile, and what they bring is folded into a sum that is stored if it equals
/// a word in memory, whose value the compiler does not know. Almost no thread stores it.
__global__ void __launch_bounds__(stream_threads)
    read_kernel(const uint4* a, std::size_t vectors, int passes, std::uint32_t* sink, ClockStamp* stamp) {
  const Stamped stamped;
  std::uint32_t sum = 0;
  for_tiles(vectors, passes, [&](std::size_t i) {
    uint4 values[stream_unroll];
#pragma unroll
    for (int u = 0; u < stream_unroll; ++u) values[u] = load_past_l1(a + i + u * stream_threads);
#pragma unroll
    for (int u = 0; u < stream_unroll; ++u) sum = folded(sum, values[u]);
  });
  if (sum == *sink) *sink = ~sum;
  stamped.finish(stamp);
}

/// The words differ from thread to thread and pass to pass, so that nothing compresses them.
__global__ void __launch_bounds__(stream_threads)
    write_kernel(uint4* a, std::size_t vectors, int passes, std::uint32_t seed, ClockStamp* stamp) {
  const Stamped stamped;
  std::uint32_t word = seed + (blockIdx.x * stream_threads + threadIdx.x) * 0x9e3779b9U;
  for_tiles(vectors, passes, [&](std::size_t i) {
    word = word * 1664525U + 1013904223U;
    const uint4 value{word, word ^ 0x85ebca6bU, ~word, word ^ 0xc2b2ae35U};
#pragma unroll
    for (int u = 0; u < stream_unroll; ++u) a[i + u * stream_threads] = value;
  });
  stamped.finish(stamp);
}

__global__ void __launch_bounds__(stream_threads)
    copy_kernel(uint4* a, const uint4* b, std::size_t vectors, int passes, ClockStamp* stamp) {
  const Stamped stamped;
  for_tiles(vectors, passes, [&](std::size_t i) {
    uint4 values[stream_unroll];
#pragma unroll
    for (int u = 0; u < stream_unroll; ++u) values[u] = load_past_l1(b + i + u * stream_threads);
#pragma unroll
    for (int u = 0; u < stream_unroll; ++u) a[i + u * stream_threads] = values[u];
  });
  stamped.finish(stamp);
}

__global__ void __launch_bounds__(stream_threads) triad_kernel(double2* a, const uint4* b, const uint4* c, double k,
                                                               std::size_t vectors, int passes, ClockStamp* stamp) {
  const Stamped stamped;
  constexpr int half = stream_unroll / 2;  // two arrays: as many accesses in flight as the others
  for_tiles(vectors, passes, [&](std::size_t i) {
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      uint4 left[half];
      uint4 right[half];
#pragma unroll
      for (int u = 0; u < half; ++u) {
        left[u] = load_past_l1(b + i + (part * half + u) * stream_threads);
        right[u] = load_past_l1(c + i + (part * half + u) * stream_threads);
      }
#pragma unroll
      for (int u = 0; u < half; ++u) {
        const double2 of_b = as_doubles(left[u]);
        const double2 of_c = as_doubles(right[u]);
        a[i + (part * half + u) * stream_threads] = double2{fma(k, of_c.x, of_b.x), fma(k, of_c.y, of_b.y)};
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

}  // namespace

void enqueue_stream(Access access, const StreamArrays& arrays, int blocks, int passes, Stream stream) {
  constexpr double k = 0.4;
  constexpr std::uint32_t write_seed = 0x5eed;
  const std::size_t vectors = arrays.bytes / sizeof(uint4);
  auto* a = static_cast<uint4*>(arrays.a);
  const auto* b = static_cast<const uint4*>(arrays.b);
  const auto* c = static_cast<const uint4*>(arrays.c);
  if (access == Access::read) {
    read_kernel<<<blocks, stream_threads, 0, stream>>>(a, vectors, passes, arrays.sink, arrays.stamp);
  } else if (access == Access::write) {
    write_kernel<<<blocks, stream_threads, 0, stream>>>(a, vectors, passes, write_seed, arrays.stamp);
  } else if (access == Access::copy) {
    copy_kernel<<<blocks, stream_threads, 0, stream>>>(a, b, vectors, passes, arrays.stamp);
  } else {
    triad_kernel<<<blocks, stream_threads, 0, stream>>>(static_cast<double2*>(arrays.a), b, c, k, vectors, passes,
                                                        arrays.stamp);
  }
  check_launch("stream kernel");
}

int resident_stream_blocks(Access access) {
  switch (access) {
    case Access::read:
      return resident_blocks(reinterpret_cast<const void*>(read_kernel), stream_threads);
    case Access::write:
      return resident_blocks(reinterpret_cast<const void*>(write_kernel), stream_threads);
    case Access::copy:
      return resident_blocks(reinterpret_cast<const void*>(copy_kernel), stream_threads);
    default:
      return resident_blocks(reinterpret_cast<const void*>(triad_kernel), stream_threads);
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
