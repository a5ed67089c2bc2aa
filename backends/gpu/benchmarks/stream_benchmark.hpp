#pragma once
#include <memory>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// The streaming kernels over arrays filled with random values. An iteration is one pass.
std::unique_ptr<GpuBenchmark> make_stream_benchmark(const StreamSpec& spec, int multiprocessors, double l2_bytes,
                                                    Stream stream);

}  // namespace gable::gpu
