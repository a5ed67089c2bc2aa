#include "backends/gpu/kernels/own_kernels.hpp"
#include "backends/hip/kernels/matrix.hpp"

namespace gable::gpu {

std::vector<ComputeKernel> own_kernels() {
  using enum DType;
  auto kernels = mfma_cdna4_kernels();
  kernels.push_back(
      no_kernel(Unit::matrix, tf32, fp32, "gfx950 has no matrix instruction for xf32; libraries make it of bf16"));
  for (const auto type : {fp8_e4m3fnuz, fp8_e5m2fnuz}) {
    kernels.push_back(
        no_kernel(Unit::matrix, type, fp32, "the fp8 of gfx950 is that of OCP: the same bits have other values"));
  }
  kernels.push_back(no_kernel(Unit::matrix, int4, int32, "gfx950 has no matrix instruction for int4"));
  return kernels;
}

}  // namespace gable::gpu
