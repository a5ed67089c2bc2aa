#include "backends/gpu/kernels/kernels.hpp"

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/kernels/stamped.hpp"

namespace gable::gpu {
namespace {

constexpr int unroll = 16;

template <ChaseLevel level>
__device__ std::uint64_t follow(std::uint64_t at) {
  return level == ChaseLevel::l1 ? follow_cached(at) : follow_past_l1(at);
}

/// Every load is volatile and needs the one before; where the chain ends is stored.
template <ChaseLevel level>
__global__ void chase_kernel(std::uint64_t* start, std::uint64_t steps, ClockStamp* stamp) {
  const Stamped stamped;
  std::uint64_t at = *start;
  std::uint64_t left = steps;
#pragma unroll 1
  for (; left >= unroll; left -= unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) at = follow<level>(at);
  }
#pragma unroll 1
  for (; left > 0; --left) at = follow<level>(at);
  *start = at;
  stamped.finish(stamp);
}

__global__ void shared_chase_kernel(std::uint64_t* start, const std::uint32_t* words, std::uint64_t steps,
                                    ClockStamp* stamp) {
  __shared__ std::uint32_t cycle[shared_chase_words];
  const std::uint32_t base = shared_address(cycle);
  for (int i = threadIdx.x; i < shared_chase_words; i += blockDim.x) cycle[i] = base + 4 * words[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  const Stamped stamped;
  std::uint32_t at = base + static_cast<std::uint32_t>(*start);
  std::uint64_t left = steps;
#pragma unroll 1
  for (; left >= unroll; left -= unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) at = follow_shared(at);
  }
#pragma unroll 1
  for (; left > 0; --left) at = follow_shared(at);
  *start = at - base;
  stamped.finish(stamp);
}

__global__ void link_kernel(unsigned char* lines, const std::uint32_t* next, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    *reinterpret_cast<std::uint64_t*>(lines + i * chase_line_bytes) =
        reinterpret_cast<std::uint64_t>(lines + next[i] * chase_line_bytes);
  }
}

}  // namespace

void enqueue_chase(ChaseLevel level, std::uint64_t* at, const std::uint32_t* words, std::uint64_t steps,
                   ClockStamp* stamp, Stream stream) {
  if (level == ChaseLevel::shared) {
    shared_chase_kernel<<<1, 256, 0, stream>>>(at, words, steps, stamp);
  } else if (level == ChaseLevel::l1) {
    chase_kernel<ChaseLevel::l1><<<1, 1, 0, stream>>>(at, steps, stamp);
  } else {
    chase_kernel<ChaseLevel::memory><<<1, 1, 0, stream>>>(at, steps, stamp);
  }
  check_launch("chase kernel");
}

void enqueue_link(void* lines, const std::uint32_t* next, std::size_t count, Stream stream) {
  constexpr int threads = 256;
  constexpr int blocks = 1024;
  link_kernel<<<blocks, threads, 0, stream>>>(static_cast<unsigned char*>(lines), next, count);
  check_launch("link kernel");
}

}  // namespace gable::gpu
