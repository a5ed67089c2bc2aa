#pragma once
#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// Measures into the row: its value, a rate unless its unit is s; the clock its kernels saw; and power, temperature and
/// what held the clock back while the device worked, asked a few times a second where its batches let the host.
void measure_row(const Setup& setup, Ceiling& row, GpuBenchmark& benchmark, const measure::Policy& policy);

}  // namespace gable::gpu
