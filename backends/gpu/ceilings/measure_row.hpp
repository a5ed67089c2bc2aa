#pragma once
#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// Measures into the row: its value, a rate unless its unit is s; the clock its kernels saw; and power, temperature and
/// what held the clock back while the device worked: asked a few times a second, but not in the first tenth, so that
/// short rows say nothing of it. A device that idled is woken up first.
void measure_row(const Setup& setup, Ceiling& row, GpuBenchmark& benchmark, const measure::Policy& policy,
                 measure::Clock& clock = measure::steady_clock());

}  // namespace gable::gpu
