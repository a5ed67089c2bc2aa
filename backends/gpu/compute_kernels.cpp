#include <algorithm>

#include "backends/gpu/kernels/compute_vector.hpp"
#include "backends/gpu/kernels/own_kernels.hpp"

namespace gable::gpu {

std::vector<ComputeKernel> compute_kernels() {
  auto kernels = vector_kernels();
  const auto own = own_kernels();
  for (auto& shared : kernels) {
    shared.beside = std::ranges::any_of(own, [&](const ComputeKernel& kernel) {
      return kernel.unit == shared.unit && kernel.storage == shared.storage && kernel.accumulate == shared.accumulate;
    });
  }
  kernels.insert(kernels.end(), own.begin(), own.end());
  return kernels;
}

}  // namespace gable::gpu
