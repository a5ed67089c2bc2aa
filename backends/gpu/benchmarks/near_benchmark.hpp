#pragma once
#include <memory>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// What every multiprocessor reads from its L1 or its shared memory (three blocks of 32 KiB each). An iteration is one
/// pass of all blocks.
std::unique_ptr<GpuBenchmark> make_l1_read(int multiprocessors, Stream stream);
std::unique_ptr<GpuBenchmark> make_shared_read(int multiprocessors, Stream stream);

}  // namespace gable::gpu
