#include "backends/gpu/kernels/own_kernels.hpp"

namespace gable::gpu {

/// Its matrix units take tcgen05; mma.sync, which it still has, does not reach them all.
std::vector<ComputeKernel> own_kernels() {
  using enum DType;
  std::vector<ComputeKernel> kernels;
  constexpr struct {
    DType storage, accumulate;
  } wanted[] = {{fp64, fp64}, {tf32, fp32},     {fp16, fp32},     {fp16, fp16},
                {bf16, fp32}, {fp8_e4m3, fp32}, {fp8_e5m2, fp32}, {int8, int32}};
  for (const auto& types : wanted) {
    kernels.push_back(no_kernel(Unit::matrix, types.storage, types.accumulate, "no kernel for sm_100 yet"));
  }
  kernels.push_back(no_kernel(Unit::matrix, int4, int32, "sm_100 has no matrix unit for int4; it is emulated"));
  return kernels;
}

}  // namespace gable::gpu
