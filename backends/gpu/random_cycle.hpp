#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gable::gpu {

/// next[i] for one random cycle that visits every number below `count` once (Sattolo, Inf. Proc. Letters 22(6), 1986).
std::vector<std::uint32_t> random_cycle(std::size_t count, std::uint64_t seed);

}  // namespace gable::gpu
