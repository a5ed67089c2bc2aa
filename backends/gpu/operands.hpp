#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "core/model/encoding.hpp"

namespace gable::gpu {

/// A [m,k] and B [n,k] of a matrix kernel, row-major; every value is one of the storage type.
struct Factors {
  std::vector<double> a, b;
};

/// chain_operands values in [0, 1), of 32 bits each: what vector kernels begin with.
std::vector<double> chain_values(std::uint64_t seed);

/// What a measurement multiplies: normal_values(). The second half of k has B's first half again and A's with the other
/// sign, so that sums swing around zero however long it runs: they neither overflow nor grow until nothing changes any
/// more.
Factors normal_factors(const ComputeKernel& kernel, std::uint64_t seed);

/// Whole numbers from -2 to 2, which every type holds; sums of up to 512 products of them are exact in every
/// accumulator.
Factors whole_factors(const ComputeKernel& kernel, std::uint64_t seed);

/// A B^T, [m,n] row-major.
std::vector<double> product(const ComputeKernel& kernel, const Factors& factors);

/// next[i] for one random cycle that visits every number below `count` once (Sattolo, Inf. Proc. Letters 22(6), 1986).
std::vector<std::uint32_t> random_cycle(std::size_t count, std::uint64_t seed);

}  // namespace gable::gpu
