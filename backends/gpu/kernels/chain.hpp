#pragma once
#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/kernels/stamped.hpp"

namespace gable::gpu {

/// Threads of a block; four blocks a multiprocessor are eight warps for each of its schedulers.
inline constexpr int chain_threads = 256;
inline constexpr int chain_blocks = 4;

/// Independent chains x <- step(x, c) in registers. Op: `Value`, start(u), constant(u) and step(x, c); `chains` x
/// `steps` instructions between two branches. With eight warps a scheduler and eight chains a warp, 64 instructions are
/// in flight, more than any latency times rate of the vector units.
///
/// It cannot be optimised away: x and c begin as words that only the host knows, the number of iterations is a
/// parameter, no step can be merged with the next one (each rounds or wraps), and every x is stored if the block is the
/// one that reports, which is a parameter too.
template <class Op>
__global__ void __launch_bounds__(chain_threads)
    chain_kernel(const double* operands, typename Op::Value* results, std::uint32_t iterations, int reporting_block,
                 ClockStamp* stamp) {
  const Stamped stamped;
  const std::size_t first = (std::size_t{blockIdx.x} * chain_threads + threadIdx.x) * (Op::chains + 1);
  typename Op::Value x[Op::chains];
#pragma unroll
  for (int k = 0; k < Op::chains; ++k) x[k] = Op::start(operands[(first + k) % chain_operands]);
  const auto c = Op::constant(operands[(first + Op::chains) % chain_operands]);
#pragma unroll 1
  for (std::uint32_t i = 0; i < iterations; ++i) {
#pragma unroll
    for (int s = 0; s < Op::steps; ++s) {
#pragma unroll
      for (int k = 0; k < Op::chains; ++k) x[k] = Op::step(x[k], c);
    }
  }
  if (static_cast<int>(blockIdx.x) == reporting_block) {
#pragma unroll
    for (int k = 0; k < Op::chains; ++k) results[threadIdx.x * Op::chains + k] = x[k];
  }
  stamped.finish(stamp);
}

template <class Op>
void enqueue_chain(const ComputeLaunch& launch) {
  chain_kernel<Op><<<launch.blocks, chain_threads, 0, static_cast<Stream>(launch.stream)>>>(
      static_cast<const double*>(launch.a), static_cast<typename Op::Value*>(launch.results), launch.iterations,
      launch.reporting_block, launch.stamp);
  check_launch(Op::instruction);
}

/// What describes an operation, as most have it; one that is otherwise states that itself.
template <DType type, DType sum = type>
struct ChainOperation {
  static constexpr Unit unit = Unit::vector;
  static constexpr DType storage = type, accumulate = sum;
  static constexpr int chains = 8, steps = 32, packed = 1;
};

/// Op beside what describes it here: `unit`, `storage`, `accumulate`, `instruction`, the numbers `packed` in a Value,
/// and `operations` of one step of one thread.
template <class Op>
ComputeKernel chain_entry() {
  auto kernel = kernel_of(Op::unit, Op::storage, Op::accumulate);
  kernel.instruction = Op::instruction;
  kernel.threads = chain_threads;
  kernel.blocks_per_multiprocessor = chain_blocks;
  kernel.operations = Op::operations * Op::chains * Op::steps * chain_threads;
  kernel.chains = Op::chains;
  kernel.steps = Op::steps;
  kernel.packed = Op::packed;
  kernel.enqueue = &enqueue_chain<Op>;
  return kernel;
}

}  // namespace gable::gpu
