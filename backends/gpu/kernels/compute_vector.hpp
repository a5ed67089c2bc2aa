#pragma once
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// fma of fp64, fp32, fp16 and bf16 (two a lane), dot4 of int8, mad of int32, exponentials of fp64 and fp32,
/// conversions of fp16 and bf16.
std::vector<ComputeKernel> vector_kernels();

}  // namespace gable::gpu
