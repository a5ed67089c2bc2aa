#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>

#include "backends/gpu/kernels/product.hpp"
#include "backends/hip/kernels/lane_map.hpp"

namespace gable::gpu {

/// Threads of a block: a wave of 64 lanes for each SIMD of a compute unit, or two of 32 for each of a workgroup
/// processor.
inline constexpr int matrix_threads = 256;
inline constexpr int matrix_blocks = 2;

/// C = iterations x A B^T of every wave. Atom is one matrix instruction: `Fragment`, a lane's operand, which it reads
/// from one row of A or B as it lies in memory; `Accumulator`, a vector of `Result`, which it adds to; `side` rows of A
/// and of B; `lane_groups`, over which k is spread; c_row(lane, element), whose column is lane modulo side; and
/// multiply(a, b, c). Which k of its slice a lane holds does not matter as long as A and B agree.
///
/// A wave holds 2 x 2 accumulators, none of which needs another, and two slices of k: every instruction has other
/// operands than the one before, and three come between two that add to the same accumulator. With two waves a SIMD
/// eight are ready to go, more than an instruction's latency is longer than its own time.
///
/// It cannot be optimised away: the operands come from memory, what an instruction does is unknown to the compiler, its
/// result is its own next input, the number of iterations is a parameter, and all of C is stored if the block is the
/// one that reports, which is a parameter. Operands and accumulators stay in registers: nothing else is in the loop.
template <class Atom>
__global__ void __launch_bounds__(matrix_threads, resident_hint(matrix_threads, matrix_blocks))
    wave_product_kernel(const unsigned char* a, const unsigned char* b, typename Atom::Result* results,
                        std::uint32_t iterations, int reporting_block, ClockStamp* stamp) {
  const Stamped stamped;
  using Fragment = typename Atom::Fragment;
  constexpr int tiles = 2;
  constexpr int slices = 2;
  constexpr int fragment_bytes = static_cast<int>(sizeof(Fragment));
  constexpr int slice_bytes = Atom::lane_groups * fragment_bytes;
  const int lane = static_cast<int>(threadIdx.x) % Atom::wave;
  const int in_row = operand_k(lane, 0, Atom::side, Atom::lane_groups, fragment_bytes);  // in bytes
  Fragment left[slices][tiles];
  Fragment right[slices][tiles];
#pragma unroll
  for (int s = 0; s < slices; ++s) {
#pragma unroll
    for (int t = 0; t < tiles; ++t) {
      const int offset = ((t * Atom::side + operand_row(lane, Atom::side)) * slices + s) * slice_bytes + in_row;
      left[s][t] = unknown(*reinterpret_cast<const Fragment*>(a + offset));
      right[s][t] = unknown(*reinterpret_cast<const Fragment*>(b + offset));
    }
  }
  typename Atom::Accumulator c[tiles][tiles] = {};
#pragma unroll 1
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (int s = 0; s < slices; ++s) {
#pragma unroll
      for (int i = 0; i < tiles; ++i) {
#pragma unroll
        for (int j = 0; j < tiles; ++j) c[i][j] = Atom::multiply(left[s][i], right[s][j], c[i][j]);
      }
    }
  }
  if (static_cast<int>(blockIdx.x) == reporting_block && static_cast<int>(threadIdx.x) < Atom::wave) {
#pragma unroll
    for (int i = 0; i < tiles; ++i) {
#pragma unroll
      for (int j = 0; j < tiles; ++j) {
#pragma unroll
        for (int e = 0; e < Atom::side * Atom::side / Atom::wave; ++e) {
          const int row = i * Atom::side + Atom::c_row(lane, e);
          results[row * tiles * Atom::side + j * Atom::side + lane % Atom::side] = c[i][j][e];
        }
      }
    }
  }
  stamped.finish(stamp);
}

template <class Atom>
void enqueue_wave_product(const ComputeLaunch& launch) {
  launch_product(&wave_product_kernel<Atom>, launch, matrix_threads, 0, Atom::instruction);
}

template <class Atom>
ComputeKernel wave_product_entry() {
  constexpr int side = 2 * Atom::side;
  const double element_bytes = size_bytes(element_of(Atom::storage));
  const int k = static_cast<int>(2 * Atom::lane_groups * sizeof(typename Atom::Fragment) / element_bytes);
  auto kernel = product_entry<Atom>(side, side, k, matrix_threads / Atom::wave, matrix_threads, matrix_blocks);
  kernel.enqueue = &enqueue_wave_product<Atom>;
  return kernel;
}

}  // namespace gable::gpu
