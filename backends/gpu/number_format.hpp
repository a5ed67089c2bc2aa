#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/model/dtype.hpp"

namespace gable::gpu {

/// Values as a GPU stores them, one behind another; int4 two a byte, the lower half first. Floating-point types round
/// to nearest even, with subnormals (tf32: the low 13 bits of an fp32 are 0); integers must be whole. Throws Error for
/// a value that is not finite or beyond the type's range, and for a type that no kernel here stores.
std::vector<std::byte> encode(DType type, std::span<const double> values);

/// The first `count` values of what encode() made.
std::vector<double> decode(DType type, std::span<const std::byte> bytes, std::size_t count);

}  // namespace gable::gpu
