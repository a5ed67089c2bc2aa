#include "backends/cuda/kernels/matrix.hpp"
#include "backends/gpu/kernels/own_kernels.hpp"

namespace gable::gpu {

std::vector<ComputeKernel> own_kernels() {
  auto kernels = wide_fp64_kernels();
  for (const auto& kernel : {wgmma_tf32(), wgmma_fp16(), wgmma_fp16_in_fp16(), wgmma_bf16(), wgmma_fp8_e4m3(),
                             wgmma_fp8_e5m2(), wgmma_int8()}) {
    kernels.push_back(kernel);
  }
  kernels.push_back(
      no_kernel(Unit::matrix, DType::int4, DType::int32, "sm_90 has no matrix unit for int4; it is emulated"));
  for (const auto& kernel : mma_kernels(true)) kernels.push_back(kernel);
  return kernels;
}

}  // namespace gable::gpu
