#include "backends/gpu/kernels/kernels.hpp"

#include "backends/gpu/kernels/stamped.hpp"

namespace gable::gpu {
namespace {

constexpr int loads = near_bytes / sizeof(uint4) / near_threads;
constexpr int shared_vectors = near_shared_bytes / sizeof(uint4);
constexpr int l1_vectors = near_l1_bytes / sizeof(uint4);
static_assert(near_bytes % near_shared_bytes == 0 && near_bytes % near_l1_bytes == 0);
static_assert(shared_vectors % near_threads == 0 && l1_vectors % near_threads == 0);

struct FromShared {
  __device__ static uint4 load(const uint4* from) { return load_shared(from); }
};
struct FromL1 {
  __device__ static uint4 load(const uint4* from) { return load_cached(from); }
};

/// Reads `vectors` over and over. The compiler cannot drop the loads: their sum is stored if it equals a word in
/// memory. It cannot take them out of the loop, which volatile ones are not safe from (ptxas), as it does not know that
/// `moved`, by which each pass begins behind the last, is always 0.
template <class From, int vectors>
__device__ void read(const uint4* mine, std::uint32_t* sink, int passes, int moved, ClockStamp* stamp) {
  const Stamped stamped;
  std::uint32_t sum = 0;
  mine += threadIdx.x;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    uint4 values[loads];
#pragma unroll
    for (int u = 0; u < loads; ++u) values[u] = From::load(mine + u * near_threads % vectors);
    mine += moved;
    keep_order();
#pragma unroll
    for (int u = 0; u < loads; ++u) sum ^= values[u].x ^ values[u].y ^ values[u].z ^ values[u].w;
  }
  if (sum == *sink) *sink = ~sum;
  stamped.finish(stamp);
}

__global__ void __launch_bounds__(near_threads, resident_hint(near_threads, near_blocks_each))
    shared_read_kernel(const uint4* data, int parts, std::uint32_t* sink, int passes, int moved, ClockStamp* stamp) {
  __shared__ uint4 words[shared_vectors];
  const uint4* mine = data + blockIdx.x % parts * shared_vectors;
  for (int i = threadIdx.x; i < shared_vectors; i += near_threads) words[i] = mine[i];
  __syncthreads();
  read<FromShared, shared_vectors>(words, sink, passes, moved, stamp);
}

__global__ void __launch_bounds__(near_threads, resident_hint(near_threads, near_blocks_each))
    l1_read_kernel(const uint4* data, int parts, std::uint32_t* sink, int passes, int moved, ClockStamp* stamp) {
  read<FromL1, l1_vectors>(data + blockIdx.x % parts * (near_l1_distance / sizeof(uint4)), sink, passes, moved, stamp);
}

}  // namespace

void enqueue_shared_read(const NearData& data, int blocks, int passes, ClockStamp* stamp, Stream stream) {
  check(prefer_shared_memory(reinterpret_cast<const void*>(&shared_read_kernel), true),
        "dividing the first-level memory");
  shared_read_kernel<<<blocks, near_threads, 0, stream>>>(static_cast<const uint4*>(data.words), data.parts, data.sink,
                                                          passes, 0, stamp);
  check_launch("shared memory read kernel");
}

void enqueue_l1_read(const NearData& data, int blocks, int passes, ClockStamp* stamp, Stream stream) {
  check(prefer_shared_memory(reinterpret_cast<const void*>(&l1_read_kernel), false), "dividing the first-level memory");
  l1_read_kernel<<<blocks, near_threads, 0, stream>>>(static_cast<const uint4*>(data.words), data.parts, data.sink,
                                                      passes, 0, stamp);
  check_launch("L1 read kernel");
}

}  // namespace gable::gpu
