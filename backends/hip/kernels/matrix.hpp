#pragma once
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// The chip's own matrix instructions, one source file an instruction set; a build has one of them.
std::vector<ComputeKernel> mfma_cdna2_kernels();
std::vector<ComputeKernel> mfma_cdna3_kernels();
std::vector<ComputeKernel> mfma_cdna4_kernels();
std::vector<ComputeKernel> wmma_kernels();
/// fp32 of the vector units of RDNA3, two instructions at once.
ComputeKernel dual_fp32();

}  // namespace gable::gpu
