#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/kernels/lane_map.hpp"
#include "backends/gpu/kernels/product.hpp"

/// The 128 or 64 accumulators of a wgmma, as its text names them and as operands of an asm statement: neither C++ nor
/// the compiler has a shorter way to spell an instruction with 130 operands. `c` is the constraint, `d` the array.
#define GABLE_WGMMA_NAMES_64                                                         \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

#define GABLE_WGMMA_NAMES_128                                                                    \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define GABLE_WGMMA_8(c, d, i) \
  c(d[(i)]), c(d[(i) + 1]), c(d[(i) + 2]), c(d[(i) + 3]), c(d[(i) + 4]), c(d[(i) + 5]), c(d[(i) + 6]), c(d[(i) + 7])
#define GABLE_WGMMA_OPERANDS_64(c, d)                                                               \
  GABLE_WGMMA_8(c, d, 0), GABLE_WGMMA_8(c, d, 8), GABLE_WGMMA_8(c, d, 16), GABLE_WGMMA_8(c, d, 24), \
      GABLE_WGMMA_8(c, d, 32), GABLE_WGMMA_8(c, d, 40), GABLE_WGMMA_8(c, d, 48), GABLE_WGMMA_8(c, d, 56)
#define GABLE_WGMMA_OPERANDS_128(c, d)                                                                    \
  GABLE_WGMMA_8(c, d, 0), GABLE_WGMMA_8(c, d, 8), GABLE_WGMMA_8(c, d, 16), GABLE_WGMMA_8(c, d, 24),       \
      GABLE_WGMMA_8(c, d, 32), GABLE_WGMMA_8(c, d, 40), GABLE_WGMMA_8(c, d, 48), GABLE_WGMMA_8(c, d, 56), \
      GABLE_WGMMA_8(c, d, 64), GABLE_WGMMA_8(c, d, 72), GABLE_WGMMA_8(c, d, 80), GABLE_WGMMA_8(c, d, 88), \
      GABLE_WGMMA_8(c, d, 96), GABLE_WGMMA_8(c, d, 104), GABLE_WGMMA_8(c, d, 112), GABLE_WGMMA_8(c, d, 120)

/// Adds a wgmma to d. `text` is the instruction with its types, `tail` what follows d: the descriptors a and b, the
/// predicate p, "add to what is there", which is always true here, and the instruction's immediate operands.
#define GABLE_WGMMA(count, c, d, a, b, text, tail)                                                              \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n" text " {" GABLE_WGMMA_NAMES_##count "}, " tail ";\n}" \
               : GABLE_WGMMA_OPERANDS_##count(c, d)                                                             \
               : "l"(a), "l"(b))

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
    const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int w = 0; w < Atom::results; ++w) {
      const int element = w * Atom::packed;
      const int row = wgmma_row(thread, element);
      const int column = wgmma_column(thread, element);
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
  launch_product(&wgmma_kernel<Atom>, launch, wgmma_threads, wgmma_shared_bytes, Atom::instruction);
}

template <class Atom>
ComputeKernel wgmma_entry() {
  const int k = static_cast<int>(wgmma_slices * wgmma_row_bytes / size_bytes(Atom::storage));
  auto kernel = product_entry<Atom>(wgmma_rows, wgmma_columns, k, 1, wgmma_threads, 1);
  kernel.enqueue = &enqueue_wgmma<Atom>;
  return kernel;
}

}  // namespace gable::gpu
