#include "backends/gpu/kernels/compute_vector.hpp"
#include "backends/gpu/kernels/matrix_list.hpp"

namespace gable::gpu {

std::vector<ComputeKernel> compute_kernels() {
  auto kernels = vector_kernels();
  for (const auto& kernel : matrix_kernels()) kernels.push_back(kernel);
  return kernels;
}

}  // namespace gable::gpu
