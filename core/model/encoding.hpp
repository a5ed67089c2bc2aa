#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/dtype.hpp"

namespace gable {

/// Values as memory holds them, one behind another; types of 4 and 6 bits without gaps, from the lowest bit of the
/// first byte on. Floating-point types round to nearest even, with subnormals (tf32: the low 13 bits of an fp32 are 0);
/// integers must be whole. Of block-scaled types these are the elements, for scales of 1. Throws Error for a value that
/// is not finite or beyond the type's range, and for a type that no kernel stores.
std::vector<std::byte> encode(DType type, std::span<const double> values);

/// Bytes of that for `count` values.
std::size_t encoded_bytes(DType type, std::size_t count);

/// The first `count` values of what encode() made.
std::vector<double> decode(DType type, std::span<const std::byte> bytes, std::size_t count);

/// normal_values() repeats after so many, a prime: rows of a matrix differ, and filling takes no longer than measuring.
inline constexpr std::size_t normal_period = 65537;

/// `count` standard normal values (int8: 32 x normal, int4: 3 x normal, whole and clipped; fp4: 2 x normal, clipped):
/// what activations and weights look like. Every one is a value of the type.
std::vector<double> normal_values(DType type, std::size_t count, std::uint64_t seed);

}  // namespace gable
