#pragma once
#include <memory>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/device_facts.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// The streaming kernels over arrays filled with random values. An iteration is one pass.
std::unique_ptr<GpuBenchmark> make_stream_benchmark(const StreamSpec& spec, const DeviceFacts& device, Stream stream);

}  // namespace gable::gpu
