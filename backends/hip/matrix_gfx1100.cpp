#include "backends/gpu/kernels/own_kernels.hpp"
#include "backends/hip/kernels/matrix.hpp"

namespace gable::gpu {

std::vector<ComputeKernel> own_kernels() {
  using enum DType;
  auto kernels = wmma_kernels();
  kernels.push_back(dual_fp32());
  kernels.push_back(
      no_kernel(Unit::matrix, fp64, fp64, "the matrix instructions of gfx1100 are for fp16, bf16, int8 and int4"));
  for (const auto type : {fp32, tf32, fp8_e4m3, fp8_e5m2}) {
    kernels.push_back(
        no_kernel(Unit::matrix, type, fp32, "the matrix instructions of gfx1100 are for fp16, bf16, int8 and int4"));
  }
  return kernels;
}

}  // namespace gable::gpu
