#include <string_view>

#include "backends/cuda/kernels/matrix.hpp"
#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// Only the branch for the architecture of this build is called; other kernels are not compiled.
std::vector<ComputeKernel> own_kernels() {
  using enum DType;
  constexpr std::string_view arch = GABLE_GPU_ARCH;
  static_assert(arch == "80" || arch == "90a" || arch == "100", "an architecture that has no list of kernels");
  if constexpr (arch == "80") {
    auto kernels = mma_kernels(false);
    for (const auto& kernel : int4_kernels()) kernels.push_back(kernel);
    for (const auto type : {fp8_e4m3, fp8_e5m2}) {
      kernels.push_back(no_kernel(Unit::matrix, type, fp32, "sm_80 has no matrix unit for fp8; sm_89 is the first"));
    }
    add_no_narrow_floats(kernels, "sm_80 has no matrix unit for fp4, fp6 or block scales; sm_100 is the first");
    return kernels;
  } else if constexpr (arch == "90a") {
    auto kernels = wide_fp64_kernels();
    for (const auto& kernel : {wgmma_tf32(), wgmma_fp16(), wgmma_fp16_in_fp16(), wgmma_bf16(), wgmma_fp8_e4m3(),
                               wgmma_fp8_e5m2(), wgmma_int8()}) {
      kernels.push_back(kernel);
    }
    kernels.push_back(no_kernel(Unit::matrix, int4, int32, "sm_90 has no matrix unit for int4; it is emulated"));
    add_no_narrow_floats(kernels, "sm_90 has no matrix unit for fp4, fp6 or block scales; sm_100 is the first");
    for (const auto& kernel : mma_kernels(true)) kernels.push_back(kernel);
    return kernels;
  } else {
    // Its matrix units take tcgen05; mma.sync, which it still has, does not reach them all.
    std::vector<ComputeKernel> kernels;
    constexpr struct {
      DType storage, accumulate;
    } wanted[] = {{fp64, fp64}, {tf32, fp32},     {fp16, fp32},     {fp16, fp16},
                  {bf16, fp32}, {fp8_e4m3, fp32}, {fp8_e5m2, fp32}, {int8, int32}};
    for (const auto& types : wanted) {
      kernels.push_back(no_kernel(Unit::matrix, types.storage, types.accumulate, "no kernel for sm_100 yet"));
    }
    add_no_narrow_floats(kernels, "no kernel for sm_100 yet");
    kernels.push_back(no_kernel(Unit::matrix, int4, int32, "sm_100 has no matrix unit for int4; it is emulated"));
    return kernels;
  }
}

}  // namespace gable::gpu
