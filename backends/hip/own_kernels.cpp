#include <string_view>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/hip/kernels/matrix.hpp"

namespace gable::gpu {

/// Only the branch of the architecture that this is built for calls its kernels, which are all that a build has.
std::vector<ComputeKernel> own_kernels() {
  using enum DType;
  constexpr std::string_view arch = GABLE_GPU_ARCH;
  static_assert(arch == "gfx90a" || arch == "gfx942" || arch == "gfx950" || arch == "gfx1100",
                "an architecture that has no list of kernels");
  if constexpr (arch == "gfx90a") {
    auto kernels = mfma_cdna2_kernels();
    kernels.push_back(
        no_kernel(Unit::matrix, tf32, fp32, "gfx90a has no matrix instruction for xf32; gfx942 is the first"));
    for (const auto type : {fp8_e4m3, fp8_e5m2, fp8_e4m3fnuz, fp8_e5m2fnuz}) {
      kernels.push_back(
          no_kernel(Unit::matrix, type, fp32, "gfx90a has no matrix instruction for fp8; gfx942 is the first"));
    }
    kernels.push_back(no_kernel(Unit::matrix, int4, int32, "gfx90a has no matrix instruction for int4"));
    add_no_narrow_floats(kernels, "gfx90a has no matrix instruction for fp4, fp6 or block scales; gfx950 is the first");
    return kernels;
  } else if constexpr (arch == "gfx942") {
    auto kernels = mfma_cdna3_kernels();
    for (const auto type : {fp8_e4m3, fp8_e5m2}) {
      kernels.push_back(
          no_kernel(Unit::matrix, type, fp32, "the fp8 of gfx942 is FNUZ: the same bits have other values"));
    }
    kernels.push_back(no_kernel(Unit::matrix, int4, int32, "gfx942 has no matrix instruction for int4"));
    add_no_narrow_floats(kernels, "gfx942 has no matrix instruction for fp4, fp6 or block scales; gfx950 is the first");
    return kernels;
  } else if constexpr (arch == "gfx950") {
    auto kernels = mfma_cdna4_kernels();
    kernels.push_back(
        no_kernel(Unit::matrix, tf32, fp32, "gfx950 has no matrix instruction for xf32; libraries make it of bf16"));
    for (const auto type : {fp8_e4m3fnuz, fp8_e5m2fnuz}) {
      kernels.push_back(
          no_kernel(Unit::matrix, type, fp32, "the fp8 of gfx950 is that of OCP: the same bits have other values"));
    }
    kernels.push_back(no_kernel(Unit::matrix, int4, int32, "gfx950 has no matrix instruction for int4"));
    return kernels;
  } else {
    auto kernels = wmma_kernels();
    kernels.push_back(dual_fp32());
    kernels.push_back(
        no_kernel(Unit::matrix, fp64, fp64, "the matrix instructions of gfx1100 are for fp16, bf16, int8 and int4"));
    for (const auto type : {fp32, tf32, fp8_e4m3, fp8_e5m2}) {
      kernels.push_back(
          no_kernel(Unit::matrix, type, fp32, "the matrix instructions of gfx1100 are for fp16, bf16, int8 and int4"));
    }
    add_no_narrow_floats(kernels, "the matrix instructions of gfx1100 are for fp16, bf16, int8 and int4");
    return kernels;
  }
}

}  // namespace gable::gpu
