#pragma once
#include <vector>

#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// Rows of the native kernels, flop/s or op/s: each at its burst, and at its sustained operating point for the vector
/// and matrix units (quick mode: vector fp64 and fp32, matrix fp64, bf16 and fp8_e4m3). What the vendor has no kernel
/// for is `unsupported` with the reason. Full mode adds kernels beside the ceilings, variant "isa:<instruction>".
/// Request::dtypes chooses the rows.
std::vector<Item> compute_ceilings(const SharedSetup& setup);

}  // namespace gable::gpu
