#include "backends/cuda/kernels/matrix.hpp"
#include "backends/gpu/kernels/own_kernels.hpp"

namespace gable::gpu {

std::vector<ComputeKernel> own_kernels() {
  auto kernels = mma_kernels(false);
  for (const auto& kernel : int4_kernels()) kernels.push_back(kernel);
  for (const auto type : {DType::fp8_e4m3, DType::fp8_e5m2}) {
    kernels.push_back(
        no_kernel(Unit::matrix, type, DType::fp32, "sm_80 has no matrix unit for fp8; sm_89 is the first"));
  }
  return kernels;
}

}  // namespace gable::gpu
