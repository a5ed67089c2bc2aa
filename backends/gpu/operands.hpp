#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// A [m,k] and B [n,k] of a matrix kernel, row-major; every value is one of the storage type.
struct Factors {
  std::vector<double> a, b;
};

/// chain_operands values in [0, 1), of 32 bits each: what vector kernels begin with.
std::vector<double> chain_values(std::uint64_t seed);

/// What a measurement multiplies: standard normal values (int8: 32 x normal, int4: 3 x normal, whole and clipped). The
/// second half of k has B's first half again and A's with the other sign, so that sums swing around zero however
/// long it runs: they neither overflow nor grow until nothing changes any more.
Factors normal_factors(const ComputeKernel& kernel, std::uint64_t seed);

/// Whole numbers from -2 to 2, which every type holds; sums of up to 512 products of them are exact in every
/// accumulator.
Factors whole_factors(const ComputeKernel& kernel, std::uint64_t seed);

/// A B^T, [m,n] row-major.
std::vector<double> product(const ComputeKernel& kernel, const Factors& factors);

/// `count` random values with the distribution of normal_factors(); repeated after a prime number of them, so that
/// rows of a matrix differ.
std::vector<double> normal_values(DType type, std::size_t count, std::uint64_t seed);

}  // namespace gable::gpu
