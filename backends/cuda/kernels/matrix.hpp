#pragma once
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {

/// mma.sync from sm_80 on: fp64, tf32, fp16 accumulated in fp32 and in fp16, bf16, int8. beside: where wider
/// instructions are the ceilings.
std::vector<ComputeKernel> mma_kernels(bool beside);
/// mma.sync of sm_80 to sm_89: int4. Later architectures emulate it.
std::vector<ComputeKernel> int4_kernels();
/// mma.sync of sm_90: fp64 in its widest shape. (Its mma.sync of fp8 is made of conversions to fp16, which is no
/// ceiling of anything.)
std::vector<ComputeKernel> wide_fp64_kernels();
/// wgmma, sm_90a only: tf32, fp16 accumulated in fp32 and in fp16, bf16, fp8, int8.
std::vector<ComputeKernel> wgmma_kernels();

}  // namespace gable::gpu
