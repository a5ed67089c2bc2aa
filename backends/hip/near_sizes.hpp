#pragma once
#include <cstddef>

namespace gable::gpu {

/// Blocks of one compute unit for the near reads: four waves a SIMD with eight loads each in flight, and the 64 KiB of
/// LDS that CDNA2 and CDNA3 have.
inline constexpr int near_blocks_each = 4;
/// What a block keeps in LDS, and what it reads of L1, bytes. All blocks read the same part of memory: L1 has 16 KiB on
/// CDNA2, 32 KiB on CDNA3, CDNA4 and RDNA3, for which the parts of four blocks would be too many (AMD CDNA 2 and CDNA 3
/// white papers).
inline constexpr std::size_t near_shared_bytes = std::size_t{16} * 1024;
inline constexpr std::size_t near_l1_bytes = std::size_t{8} * 1024;
/// Distance between the parts of two blocks.
inline constexpr std::size_t near_l1_distance = 0;

}  // namespace gable::gpu
