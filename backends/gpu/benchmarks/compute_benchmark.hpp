#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/operands.hpp"

namespace gable::gpu {

/// A compute kernel on every multiprocessor, on random operands. An iteration is one of the kernel's loop.
std::unique_ptr<GpuBenchmark> make_compute(const ComputeKernel& kernel, int multiprocessors, Stream stream);

/// What the first block of a kernel has computed after `iterations`, for a check: [m,n] of a matrix kernel, as doubles.
std::vector<double> matrix_results(const ComputeKernel& kernel, const Factors& factors, std::uint32_t iterations);
/// The same of another kernel, [threads][chains] as they are stored.
std::vector<std::byte> chain_results(const ComputeKernel& kernel, const std::vector<double>& operands,
                                     std::uint32_t iterations, std::size_t value_bytes);

}  // namespace gable::gpu
