#pragma once
#include <memory>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// Copies between host and device by the runtime, timed by events. An iteration is one copy, or one each way at once;
/// both ways then count together.
std::unique_ptr<GpuBenchmark> make_link(const LinkSpec& spec, Stream stream);

}  // namespace gable::gpu
