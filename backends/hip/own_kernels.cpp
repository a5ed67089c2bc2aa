#include <string_view>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/hip/kernels/matrix.hpp"

namespace gable::gpu {

/// Only the branch of the architecture that this is built for calls its kernels, which are all that a build has.
std::vector<ComputeKernel> own_kernels() {
  constexpr std::string_view arch = GABLE_GPU_ARCH;
  static_assert(arch == "gfx90a" || arch == "gfx942" || arch == "gfx950" || arch == "gfx1100",
                "an architecture that has no list of kernels");
  if constexpr (arch == "gfx90a") {
    return mfma_cdna2_kernels();
  } else if constexpr (arch == "gfx942") {
    return mfma_cdna3_kernels();
  } else if constexpr (arch == "gfx950") {
    return mfma_cdna4_kernels();
  } else {
    auto kernels = wmma_kernels();
    kernels.push_back(dual_fp32());
    return kernels;
  }
}

}  // namespace gable::gpu
