#pragma once
#include <memory>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// One thread that follows a random cycle. An iteration is one access that waits for the one before.
std::unique_ptr<GpuBenchmark> make_chase(const ChaseSpec& spec, Stream stream);

}  // namespace gable::gpu
