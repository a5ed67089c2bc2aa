#pragma once
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// The matrix kernels of the architecture this is built for, and why it lacks the others: one source file an
/// architecture.
std::vector<ComputeKernel> matrix_kernels();

/// An entry that says why there is no kernel.
inline ComputeKernel no_matrix_kernel(DType storage, DType accumulate, std::string_view reason) {
  ComputeKernel kernel;
  kernel.unit = Unit::matrix;
  kernel.storage = storage;
  kernel.accumulate = accumulate;
  kernel.reason = reason;
  return kernel;
}

}  // namespace gable::gpu
