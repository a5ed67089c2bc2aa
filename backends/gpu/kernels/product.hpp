#pragma once
#include <cstddef>
#include <cstdint>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/kernels/stamped.hpp"

/// What the kernels of all matrix units share beside their loops.
namespace gable::gpu {

template <class Operand, class Result>
using ProductKernel = void (*)(const Operand* a, const Operand* b, Result* results, std::uint32_t iterations,
                               int reporting_block, ClockStamp* stamp);

/// Enqueues a kernel; its instruction names it where the launch fails.
template <class Operand, class Result>
void launch_product(ProductKernel<Operand, Result> kernel, const ComputeLaunch& launch, int threads,
                    std::size_t shared_bytes, const char* instruction) {
  kernel<<<launch.blocks, threads, shared_bytes, static_cast<Stream>(launch.stream)>>>(
      static_cast<const Operand*>(launch.a), static_cast<const Operand*>(launch.b),
      static_cast<Result*>(launch.results), launch.iterations, launch.reporting_block, launch.stamp);
  check_launch(instruction);
}

/// An entry of blocks that do `products` products [m,k] x [n,k]^T in one iteration. Atom describes itself by `storage`,
/// `accumulate` and `instruction`.
template <class Atom>
ComputeKernel product_entry(int m, int n, int k, double products, int threads, int blocks_per_multiprocessor) {
  auto kernel = kernel_of(Unit::matrix, Atom::storage, Atom::accumulate);
  kernel.instruction = Atom::instruction;
  kernel.threads = threads;
  kernel.blocks_per_multiprocessor = blocks_per_multiprocessor;
  kernel.m = m;
  kernel.n = n;
  kernel.k = k;
  kernel.operations = 2.0 * m * n * k * products;
  return kernel;
}

}  // namespace gable::gpu
