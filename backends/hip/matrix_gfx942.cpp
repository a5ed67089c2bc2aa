#include "backends/gpu/kernels/own_kernels.hpp"
#include "backends/hip/kernels/matrix.hpp"

namespace gable::gpu {

std::vector<ComputeKernel> own_kernels() {
  using enum DType;
  auto kernels = mfma_cdna3_kernels();
  for (const auto type : {fp8_e4m3, fp8_e5m2}) {
    kernels.push_back(
        no_kernel(Unit::matrix, type, fp32, "the fp8 of gfx942 is FNUZ: the same bits have other values"));
  }
  kernels.push_back(no_kernel(Unit::matrix, int4, int32, "gfx942 has no matrix instruction for int4"));
  return kernels;
}

}  // namespace gable::gpu
