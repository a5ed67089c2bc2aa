#pragma once
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// The kernels of the architecture this is built for: its matrix units, with the reason for each type that they lack,
/// and vector units that the shared kernels do not reach. One source file an architecture, in the vendor's folder.
std::vector<ComputeKernel> own_kernels();

}  // namespace gable::gpu
