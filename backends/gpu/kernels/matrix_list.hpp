#pragma once
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// The matrix kernels of the architecture this is built for, and why it lacks the others: one source file an
/// architecture, in the vendor's folder.
std::vector<ComputeKernel> matrix_kernels();

}  // namespace gable::gpu
