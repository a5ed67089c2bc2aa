#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/kernels/lane_map.hpp"
#include "backends/gpu/kernels/product.hpp"

namespace gable::gpu {

/// Threads of a block of the mma.sync ceilings: two warps for each of the multiprocessor's schedulers.
inline constexpr int matrix_threads = 256;

/// C = iterations x A B^T of every warp. Atom is one mma.sync: `Word` and `a_words`, `b_words` of its operands,
/// `Result` and `results` words of its accumulator, `packed` elements in each of those, `rows` and `k_words` of its
/// shape, and multiply(c, a, b) which adds to c. A warp holds tiles_m x tiles_n accumulators, none of which needs
/// another, and two slices of k: every instruction has other operands than the one before.
///
/// It cannot be optimised away: the operands come from memory, multiply is volatile, its result is its own next input,
/// and all of C is stored if the block is the one that reports, which is a parameter. Operands and accumulators stay in
/// registers: nothing else is in the loop.
template <class Atom>
__global__ void __launch_bounds__(matrix_threads, Atom::blocks_per_multiprocessor)
    warp_product_kernel(const typename Atom::Word* a, const typename Atom::Word* b, typename Atom::Result* results,
                        std::uint32_t iterations, int reporting_block, ClockStamp* stamp) {
  const Stamped stamped;
  constexpr int slices = 2;
  constexpr int row_words = slices * Atom::k_words;
  const auto lane = LaneMap::of(static_cast<int>(threadIdx.x));
  typename Atom::Word left[slices][Atom::tiles_m][Atom::a_words];
  typename Atom::Word right[slices][Atom::tiles_n][Atom::b_words];
#pragma unroll
  for (int s = 0; s < slices; ++s) {
#pragma unroll
    for (int i = 0; i < Atom::tiles_m; ++i) {
#pragma unroll
      for (int w = 0; w < Atom::a_words; ++w) {
        left[s][i][w] = a[(i * Atom::rows + lane.a_row(w)) * row_words + s * Atom::k_words + lane.a_word(w)];
      }
    }
#pragma unroll
    for (int j = 0; j < Atom::tiles_n; ++j) {
#pragma unroll
      for (int w = 0; w < Atom::b_words; ++w) {
        right[s][j][w] = b[(j * 8 + lane.b_column()) * row_words + s * Atom::k_words + lane.b_word(w)];
      }
    }
  }
  typename Atom::Result c[Atom::tiles_m][Atom::tiles_n][Atom::results] = {};
#pragma unroll 1
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (int s = 0; s < slices; ++s) {
#pragma unroll
      for (int i = 0; i < Atom::tiles_m; ++i) {
#pragma unroll
        for (int j = 0; j < Atom::tiles_n; ++j) Atom::multiply(c[i][j], left[s][i], right[s][j]);
      }
    }
  }
  if (static_cast<int>(blockIdx.x) == reporting_block && threadIdx.x < 32) {
#pragma unroll
    for (int i = 0; i < Atom::tiles_m; ++i) {
#pragma unroll
      for (int j = 0; j < Atom::tiles_n; ++j) {
#pragma unroll
        for (int w = 0; w < Atom::results; ++w) {
          const int row = i * Atom::rows + lane.c_row(w * Atom::packed);
          const int column = j * 8 + lane.c_column(w * Atom::packed);
          results[(row * Atom::tiles_n * 8 + column) / Atom::packed] = c[i][j][w];
        }
      }
    }
  }
  stamped.finish(stamp);
}

template <class Atom>
void enqueue_warp_product(const ComputeLaunch& launch) {
  launch_product(&warp_product_kernel<Atom>, launch, matrix_threads, 0, Atom::instruction);
}

template <class Atom>
ComputeKernel warp_product_entry(bool beside = false) {
  constexpr int word_bits = 8 * static_cast<int>(sizeof(typename Atom::Word));
  const int k = 2 * Atom::k_words * word_bits / static_cast<int>(8 * size_bytes(Atom::storage));
  auto kernel = product_entry<Atom>(Atom::rows * Atom::tiles_m, 8 * Atom::tiles_n, k, matrix_threads / 32.0,
                                    matrix_threads, Atom::blocks_per_multiprocessor);
  kernel.beside = beside;
  kernel.enqueue = &enqueue_warp_product<Atom>;
  return kernel;
}

/// What the 32-bit shapes with 16 rows have in common: 4 elements of an accumulator, in so many words.
template <DType type, DType sum, class Sum, int words = 4>
struct Rows16 {
  using Word = std::uint32_t;
  using Result = Sum;
  static constexpr DType storage = type, accumulate = sum;
  static constexpr int results = words, packed = 4 / words;
  static constexpr int rows = 16, k_words = 8, a_words = 4, b_words = 2;
  static constexpr int tiles_m = 2, tiles_n = 4;
  static constexpr int blocks_per_multiprocessor = 2;
};

}  // namespace gable::gpu
