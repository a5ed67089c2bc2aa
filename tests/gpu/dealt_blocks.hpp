#pragma once
#include <cstddef>
#include <vector>

#include "tests/gpu/unit_of_wave.hpp"

namespace gable::gpu::test {

/// Where each of `blocks` blocks of 256 threads ran, all with the same work of some milliseconds; each keeps
/// `shared_bytes` of LDS, so that no more of them are in a unit at once than that leaves room for. Throws
/// DeviceFailure.
std::vector<HardwareId> dealt_blocks(int blocks, std::size_t shared_bytes);

}  // namespace gable::gpu::test
