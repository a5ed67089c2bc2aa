#include <initializer_list>
#include <string_view>
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"

namespace gable::gpu {
namespace {

using enum DType;
using TypeList = std::initializer_list<DType>;

/// Floating-point types of six and four bits and block-scaled ones, which sm_100 and gfx950 are the first to multiply.
constexpr TypeList narrow_floats = {fp4_e2m1,   mxfp4,      fp6_e2m3,   fp6_e3m2, mxfp6_e2m3,
                                    mxfp6_e3m2, mxfp8_e4m3, mxfp8_e5m2, nvfp4};

class Missing {
 public:
  Missing& add(TypeList types, DType accumulate, std::string_view reason) {
    for (const auto type : types) kernels_.push_back(no_kernel(Unit::matrix, type, accumulate, reason));
    return *this;
  }
  std::vector<ComputeKernel> kernels() const { return kernels_; }

 private:
  std::vector<ComputeKernel> kernels_;
};

}  // namespace

std::vector<ComputeKernel> missing_kernels(std::string_view arch) {
  Missing missing;
  if (arch == "80") {
    missing.add({fp8_e4m3, fp8_e5m2}, fp32, "sm_80 has no matrix unit for fp8; sm_89 is the first")
        .add(narrow_floats, fp32, "sm_80 has no matrix unit for fp4, fp6 or block scales; sm_100 is the first");
  } else if (arch == "90a") {
    missing.add({int4}, int32, "sm_90 has no matrix unit for int4; it is emulated")
        .add(narrow_floats, fp32, "sm_90 has no matrix unit for fp4, fp6 or block scales; sm_100 is the first");
  } else if (arch == "100") {
    // Its matrix units take tcgen05; mma.sync, which it still has, does not reach them all.
    constexpr std::string_view none = "no kernel for sm_100 yet";
    missing.add({fp64}, fp64, none)
        .add({tf32, fp16}, fp32, none)
        .add({fp16}, fp16, none)
        .add({bf16, fp8_e4m3, fp8_e5m2}, fp32, none)
        .add({int8}, int32, none)
        .add(narrow_floats, fp32, none)
        .add({int4}, int32, "sm_100 has no matrix unit for int4; it is emulated");
  } else if (arch == "gfx90a") {
    missing.add({tf32}, fp32, "gfx90a has no matrix instruction for xf32; gfx942 is the first")
        .add({fp8_e4m3, fp8_e5m2, fp8_e4m3fnuz, fp8_e5m2fnuz}, fp32,
             "gfx90a has no matrix instruction for fp8; gfx942 is the first")
        .add({int4}, int32, "gfx90a has no matrix instruction for int4")
        .add(narrow_floats, fp32, "gfx90a has no matrix instruction for fp4, fp6 or block scales; gfx950 is the first");
  } else if (arch == "gfx942") {
    missing.add({fp8_e4m3, fp8_e5m2}, fp32, "the fp8 of gfx942 is FNUZ: the same bits have other values")
        .add({int4}, int32, "gfx942 has no matrix instruction for int4")
        .add(narrow_floats, fp32, "gfx942 has no matrix instruction for fp4, fp6 or block scales; gfx950 is the first");
  } else if (arch == "gfx950") {
    missing.add({tf32}, fp32, "gfx950 has no matrix instruction for xf32; libraries make it of bf16")
        .add({fp8_e4m3fnuz, fp8_e5m2fnuz}, fp32, "the fp8 of gfx950 is that of OCP: the same bits have other values")
        .add({nvfp4}, fp32, "gfx950 has the block scales of MX: none of NVIDIA's nvfp4")
        .add({int4}, int32, "gfx950 has no matrix instruction for int4");
  } else if (arch == "gfx1100") {
    constexpr std::string_view none = "the matrix instructions of gfx1100 are for fp16, bf16, int8 and int4";
    missing.add({fp64}, fp64, none).add({fp32, tf32, fp8_e4m3, fp8_e5m2}, fp32, none).add(narrow_floats, fp32, none);
  }
  return missing.kernels();
}

}  // namespace gable::gpu
