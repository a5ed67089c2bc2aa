#include <string_view>
#include <vector>

#include "backends/cuda/kernels/matrix.hpp"
#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// Only the branch for the architecture of this build is called; other kernels are not compiled.
std::vector<ComputeKernel> own_kernels() {
  constexpr std::string_view arch = GABLE_GPU_ARCH;
  static_assert(arch == "80" || arch == "90a" || arch == "100", "an architecture that has no list of kernels");
  std::vector<ComputeKernel> kernels;
  const auto append = [&](const std::vector<ComputeKernel>& more) {
    kernels.insert(kernels.end(), more.begin(), more.end());
  };
  if constexpr (arch == "80") {
    append(mma_kernels(false));
    append(int4_kernels());
  } else if constexpr (arch == "90a") {
    append(wide_fp64_kernels());
    append(wgmma_kernels());
    append(mma_kernels(true));
  }
  return kernels;
}

}  // namespace gable::gpu
