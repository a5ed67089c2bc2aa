#pragma once
#include <cuda_runtime.h>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/kernels/stamped.hpp"

namespace gable::gpu {

/// Shape of the operands in shared memory: two slices of k, each a row of 128 bytes for every row of A and B.
inline constexpr int wgmma_threads = 256;  ///< two warpgroups, each with 64 rows of A
inline constexpr int wgmma_rows = 128;
inline constexpr int wgmma_columns = 256;
inline constexpr int wgmma_slices = 2;
inline constexpr int wgmma_row_bytes = 128;
inline constexpr int wgmma_step_bytes = 32;  ///< of k that one instruction takes, whatever the type
inline constexpr int wgmma_a_bytes = wgmma_rows * wgmma_row_bytes;
inline constexpr int wgmma_b_bytes = wgmma_columns * wgmma_row_bytes;
inline constexpr int wgmma_alignment = 1024;  ///< the swizzle repeats every 8 rows
inline constexpr int wgmma_shared_bytes = wgmma_slices * (wgmma_a_bytes + wgmma_b_bytes) + wgmma_alignment;

/// The matrix descriptor (PTX ISA, "Shared Memory Matrix Layout", sm_90): address / 16 in bits 0-13, leading dimension
/// in 16-29 (not used by swizzled layouts with k inside a row), 1024 bytes / 16 between groups of 8 rows in 32-45,
/// swizzle of 128 bytes in 62-63. To go on by `bytes` of k inside the row, bytes / 16 is added.
__device__ inline std::uint64_t wgmma_descriptor(std::uint32_t shared_address) {
  constexpr std::uint64_t fixed = (std::uint64_t{1} << 62) | (std::uint64_t{wgmma_alignment / 16} << 32) | (1ULL << 16);
  return fixed | ((shared_address & 0x3ffffU) >> 4);
}

/// Brings `rows` rows of 128 bytes, `pitch` bytes apart, into shared memory with the 128-byte swizzle: the 16 bytes
/// number c of row r lie at place c xor (r modulo 8) of their row.
__device__ inline void wgmma_load(unsigned char* to, const unsigned char* from, int rows, int pitch) {
  constexpr int chunks = wgmma_row_bytes / 16;
  for (int i = static_cast<int>(threadIdx.x); i < rows * chunks; i += wgmma_threads) {
    const int row = i / chunks;
    const int chunk = i % chunks;
    const auto value = *reinterpret_cast<const uint4*>(from + static_cast<std::size_t>(row) * pitch + chunk * 16);
    *reinterpret_cast<uint4*>(to + row * wgmma_row_bytes + (chunk ^ (row % 8)) * 16) = value;
  }
}

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int groups>
__device__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

/// C[128,256] = iterations x A B^T of every block. Atom is one wgmma.m64n256: `Result` and `results` words of its
/// accumulator, `packed` elements in each, and multiply(c, a, b) which adds to c. A and B are in shared memory before
/// the loop. An iteration is a group of eight instructions; the one before is still under way when it is begun.
///
/// It cannot be optimised away: the operands come from memory, multiply is volatile, and all of C is stored if the
/// block is the one that reports, which is a parameter.
template <class Atom>
__global__ void __launch_bounds__(wgmma_threads, 1)
    wgmma_kernel(const unsigned char* a, const unsigned char* b, typename Atom::Result* results,
                 std::uint32_t iterations, int reporting_block, ClockStamp* stamp) {
  const Stamped stamped;
  extern __shared__ unsigned char memory[];
  const auto begin = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  unsigned char* const shared_a = memory + (wgmma_alignment - begin % wgmma_alignment) % wgmma_alignment;
  unsigned char* const shared_b = shared_a + wgmma_slices * wgmma_a_bytes;
  constexpr int pitch = wgmma_slices * wgmma_row_bytes;
  for (int s = 0; s < wgmma_slices; ++s) {
    wgmma_load(shared_a + s * wgmma_a_bytes, a + s * wgmma_row_bytes, wgmma_rows, pitch);
    wgmma_load(shared_b + s * wgmma_b_bytes, b + s * wgmma_row_bytes, wgmma_columns, pitch);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  const int group = static_cast<int>(threadIdx.x) / 128;
  const auto descriptor_a =
      wgmma_descriptor(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_a + group * (wgmma_a_bytes / 2))));
  const auto descriptor_b = wgmma_descriptor(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_b)));
  typename Atom::Result c[Atom::results] = {};
#pragma unroll 1
  for (std::uint32_t i = 0; i < iterations; ++i) {
    wgmma_fence();
#pragma unroll
    for (int s = 0; s < wgmma_slices; ++s) {
#pragma unroll
      for (int step = 0; step < wgmma_row_bytes / wgmma_step_bytes; ++step) {
        const int offset = step * wgmma_step_bytes;
        Atom::multiply(c, descriptor_a + (s * wgmma_a_bytes + offset) / 16,
                       descriptor_b + (s * wgmma_b_bytes + offset) / 16);
      }
    }
    wgmma_commit();
    wgmma_wait<1>();
  }
  wgmma_wait<0>();

  if (static_cast<int>(blockIdx.x) == reporting_block) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int w = 0; w < Atom::results; ++w) {
      const int element = w * Atom::packed;
      const int row = 16 * warp + lane / 4 + 8 * (element / 2 % 2);
      const int column = element / 4 * 8 + 2 * (lane % 4) + element % 2;
      results[(row * wgmma_columns + column) / Atom::packed] = c[w];
    }
  }
  stamped.finish(stamp);
}

template <class Atom>
void enqueue_wgmma(const ComputeLaunch& launch) {
  static const bool may_have_shared_memory = [] {
    check(cudaFuncSetAttribute(wgmma_kernel<Atom>, cudaFuncAttributeMaxDynamicSharedMemorySize, wgmma_shared_bytes),
          "asking for shared memory");
    return true;
  }();
  if (!may_have_shared_memory) return;
  wgmma_kernel<Atom><<<launch.blocks, wgmma_threads, wgmma_shared_bytes, static_cast<Stream>(launch.stream)>>>(
      static_cast<const unsigned char*>(launch.a), static_cast<const unsigned char*>(launch.b),
      static_cast<typename Atom::Result*>(launch.results), launch.iterations, launch.reporting_block, launch.stamp);
  check_launch(Atom::instruction);
}

/// Atom beside what describes it here: `storage`, `accumulate`, `instruction`.
template <class Atom>
ComputeKernel wgmma_entry() {
  auto kernel = kernel_of(Unit::matrix, Atom::storage, Atom::accumulate);
  kernel.instruction = Atom::instruction;
  kernel.threads = wgmma_threads;
  kernel.blocks_per_multiprocessor = 1;
  kernel.m = wgmma_rows;
  kernel.n = wgmma_columns;
  kernel.k = static_cast<int>(wgmma_slices * wgmma_row_bytes / size_bytes(Atom::storage));
  kernel.operations = 2.0 * kernel.m * kernel.n * kernel.k;
  kernel.enqueue = &enqueue_wgmma<Atom>;
  return kernel;
}

}  // namespace gable::gpu
