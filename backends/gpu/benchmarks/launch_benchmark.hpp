#pragma once
#include <memory>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// Empty kernels. enqueue and round_trip are timed on the host, because their cost is the host's; graph_node by events.
std::unique_ptr<GpuBenchmark> make_launches(LaunchKind kind, Stream stream);

}  // namespace gable::gpu
