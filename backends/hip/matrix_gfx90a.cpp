#include "backends/gpu/kernels/own_kernels.hpp"
#include "backends/hip/kernels/matrix.hpp"

namespace gable::gpu {

std::vector<ComputeKernel> own_kernels() {
  using enum DType;
  auto kernels = mfma_cdna2_kernels();
  kernels.push_back(
      no_kernel(Unit::matrix, tf32, fp32, "gfx90a has no matrix instruction for xf32; gfx942 is the first"));
  for (const auto type : {fp8_e4m3, fp8_e5m2, fp8_e4m3fnuz, fp8_e5m2fnuz}) {
    kernels.push_back(
        no_kernel(Unit::matrix, type, fp32, "gfx90a has no matrix instruction for fp8; gfx942 is the first"));
  }
  kernels.push_back(no_kernel(Unit::matrix, int4, int32, "gfx90a has no matrix instruction for int4"));
  return kernels;
}

}  // namespace gable::gpu
