#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "core/model/dtype.hpp"

namespace gable::gpu {

/// Values as a GPU stores them, one behind another; types of 4 and 6 bits without gaps, from the lowest bit of the
/// first byte on. Floating-point types round to nearest even, with subnormals (tf32: the low 13 bits of an fp32 are 0);
/// integers must be whole. Of block-scaled types these are the elements, for scales of 1. Throws Error for a value that
/// is not finite or beyond the type's range, and for a type that no kernel here stores.
std::vector<std::byte> encode(DType type, std::span<const double> values);

/// Bytes of that for `count` values.
std::size_t encoded_bytes(DType type, std::size_t count);

/// The first `count` values of what encode() made.
std::vector<double> decode(DType type, std::span<const std::byte> bytes, std::size_t count);

/// A [m,k] and B [n,k] of a matrix kernel, row-major; every value is one of the storage type.
struct Factors {
  std::vector<double> a, b;
};

/// chain_operands values in [0, 1), of 32 bits each: what vector kernels begin with.
std::vector<double> chain_values(std::uint64_t seed);

/// What a measurement multiplies: standard normal values (int8: 32 x normal, int4: 3 x normal, whole and clipped; fp4:
/// 2 x normal, clipped). The second half of k has B's first half again and A's with the other sign, so that sums swing
/// around zero however long it runs: they neither overflow nor grow until nothing changes any more.
Factors normal_factors(const ComputeKernel& kernel, std::uint64_t seed);

/// Whole numbers from -2 to 2, which every type holds; sums of up to 512 products of them are exact in every
/// accumulator.
Factors whole_factors(const ComputeKernel& kernel, std::uint64_t seed);

/// A B^T, [m,n] row-major.
std::vector<double> product(const ComputeKernel& kernel, const Factors& factors);

/// `count` random values with the distribution of normal_factors(); repeated after a prime number of them, so that
/// rows of a matrix differ.
std::vector<double> normal_values(DType type, std::size_t count, std::uint64_t seed);

/// next[i] for one random cycle that visits every number below `count` once (Sattolo, Inf. Proc. Letters 22(6), 1986).
std::vector<std::uint32_t> random_cycle(std::size_t count, std::uint64_t seed);

}  // namespace gable::gpu
