#pragma once
#include <cstddef>

namespace gable::gpu {

/// Blocks of one multiprocessor for the near reads: 768 threads with eight loads each in flight, and 96 KiB, which L1
/// and shared memory of compute capability 8.0 and up hold.
inline constexpr int near_blocks_each = 3;
/// What a block keeps in shared memory, and what it reads of L1, bytes.
inline constexpr std::size_t near_shared_bytes = std::size_t{32} * 1024;
inline constexpr std::size_t near_l1_bytes = std::size_t{32} * 1024;
/// Distance between the parts of two blocks.
inline constexpr std::size_t near_l1_distance = near_l1_bytes;

}  // namespace gable::gpu
