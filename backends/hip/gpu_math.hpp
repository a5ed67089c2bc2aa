#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>
#include <string_view>

/// The arithmetic of the vector ceilings, one instruction each, as inline device functions; backends/cuda has the same
/// for CUDA.
namespace gable::gpu {

using Half2 = _Float16 __attribute__((ext_vector_type(2)));
using Bfloat2 = __bf16 __attribute__((ext_vector_type(2)));
using Wide2 = float __attribute__((ext_vector_type(2)));

__device__ inline Half2 make_half2(float low, float high) {
  return Half2{static_cast<_Float16>(low), static_cast<_Float16>(high)};
}
__device__ inline Bfloat2 make_bfloat2(float low, float high) {
  return Bfloat2{static_cast<__bf16>(low), static_cast<__bf16>(high)};
}

/// fp32 values of one fma: v_pk_fma_f32 takes two on CDNA2 and later, without which half of the unit idles.
using Singles = Wide2;
inline constexpr int singles_packed = 2;
__device__ inline Singles make_singles(float low, float high) { return Singles{low, high}; }

/// x x + c, rounded once: v_pk_fma_f32, v_pk_fma_f16.
__device__ inline Singles square_and_add(Singles x, Singles c) { return __builtin_elementwise_fma(x, x, c); }
__device__ inline Half2 square_and_add(Half2 x, Half2 c) { return __builtin_elementwise_fma(x, x, c); }
inline constexpr std::string_view no_bfloat_fma =
    "the vector units of CDNA2 to CDNA4 and of RDNA3 have no fma of bf16; it is made of fp32 and conversions";

/// Four products of signed bytes and their sum, added to c: v_dot4_i32_i8, on RDNA3 v_dot4_i32_iu8.
__device__ inline std::int32_t dot4(std::int32_t a, std::int32_t b, std::int32_t c) {
#if defined(__GFX11__) || defined(__GFX12__)
  return __builtin_amdgcn_sudot4(true, a, true, b, c, false);
#else
  return __builtin_amdgcn_sdot4(a, b, c, false);
#endif
}

/// 2^-x: v_exp_f32, which negates for nothing. A subtraction would take its turn in the same unit, so the chain ends in
/// 2^-x = x; the time of the instruction does not depend on its operand.
inline constexpr const char* exp2_instruction = "exp2_negated";
__device__ inline float exp2_step(float x, float) { return __builtin_amdgcn_exp2f(-x); }

/// 1 / x as the transcendental unit gives it: v_rcp_f32, v_rcp_f64.
__device__ inline float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
__device__ inline double reciprocal(double x) { return __builtin_amdgcn_rcp(x); }

/// To fp32 and back with the halves exchanged: two widening conversions, two narrowing ones. The compiler would drop
/// them as they change nothing; so the empty statement hands it the wide values as if they were others. bf16 has
/// instructions for it on CDNA4 only; before, the compiler makes them of integer arithmetic, as it does in operators.
template <class Pair>
__device__ Pair converted_and_swapped(Pair x) {
  Wide2 wide = __builtin_convertvector(x, Wide2);
  asm volatile("" : "+v"(wide));
  return __builtin_convertvector(wide.yx, Pair);
}

}  // namespace gable::gpu
