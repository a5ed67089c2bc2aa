#pragma once
#include <memory>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// The runtime's copy within the device. bytes: of both arrays together; all of them count, read or written.
std::unique_ptr<GpuBenchmark> make_runtime_copy(double bytes, Stream stream);
/// The runtime's copy of `bytes` from one device, which is the current one, to another.
std::unique_ptr<GpuBenchmark> make_peer_copy(int from, int to, double bytes, Stream stream);

}  // namespace gable::gpu
