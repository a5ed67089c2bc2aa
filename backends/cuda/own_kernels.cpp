#include <string_view>

#include "backends/cuda/kernels/matrix.hpp"
#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {
namespace {

/// Only the branch for the architecture of this build is called; other kernels are not compiled.
std::vector<ComputeKernel> matrix_kernels() {
  constexpr std::string_view arch = GABLE_GPU_ARCH;
  static_assert(arch == "80" || arch == "90a" || arch == "100", "an architecture that has no list of kernels");
  if constexpr (arch == "80") {
    auto kernels = mma_kernels(false);
    for (const auto& kernel : int4_kernels()) kernels.push_back(kernel);
    return kernels;
  } else if constexpr (arch == "90a") {
    auto kernels = wide_fp64_kernels();
    for (const auto& kernel : {wgmma_tf32(), wgmma_fp16(), wgmma_fp16_in_fp16(), wgmma_bf16(), wgmma_fp8_e4m3(),
                               wgmma_fp8_e5m2(), wgmma_int8()}) {
      kernels.push_back(kernel);
    }
    for (const auto& kernel : mma_kernels(true)) kernels.push_back(kernel);
    return kernels;
  } else {
    return {};
  }
}

}  // namespace

std::vector<ComputeKernel> own_kernels() {
  auto kernels = matrix_kernels();
  for (const auto& kernel : missing_kernels(GABLE_GPU_ARCH)) kernels.push_back(kernel);
  return kernels;
}

}  // namespace gable::gpu
