#include <hip/hip_runtime.h>

#include "backends/gpu/kernels/chain.hpp"
#include "backends/hip/kernels/matrix.hpp"

namespace gable::gpu {
namespace {

/// Scalar register of the wave: what its first lane has.
__device__ float of_wave(float value) {
  return __builtin_bit_cast(float, __builtin_amdgcn_readfirstlane(__builtin_bit_cast(int, unknown(value))));
}

/// Two pairs that turn around within bounds while c < 2: p <- p + c q, q <- q - c p, and s <- s - c r, r <- r + c s.
/// RDNA3 issues two instructions at once (v_dual_fmac_f32) if each adds to one of its operands, which x x + c does not,
/// one to an even and one to an odd register, and if they read different banks. So one pair is half a step behind the
/// other, and c and -c are scalar registers of the wave, those of its first lane.
struct DualFp32 : ChainOperation<DType::fp32> {
  static constexpr const char* instruction = "dual_fmac";
  static constexpr int steps = 16, packed = 4;
  static constexpr double operations = 8;
  using Value = float __attribute__((ext_vector_type(4)));
  __device__ static Value start(double u) {
    const auto x = static_cast<float>(3.5 * u - 1.75);
    return Value{x, -x, -x, x};
  }
  __device__ static Value constant(double u) {
    const auto c = static_cast<float>(0.25 + 0.25 * u);
    return Value{of_wave(c), of_wave(-c), 0.0F, 0.0F};
  }
  __device__ static Value step(Value x, Value c) {
    const float p = fmaf(c.x, x.y, x.x);
    const float s = fmaf(c.y, x.z, x.w);
    return Value{p, fmaf(c.y, p, x.y), fmaf(c.x, s, x.z), s};
  }
};

}  // namespace

ComputeKernel dual_fp32() { return chain_entry<DualFp32>(); }

}  // namespace gable::gpu
