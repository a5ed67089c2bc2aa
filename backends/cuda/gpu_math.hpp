#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <string_view>

/// The arithmetic of the vector ceilings, one instruction each, as inline device functions; backends/hip has the same
/// for HIP.
namespace gable::gpu {

using Half2 = __half2;
using Bfloat2 = __nv_bfloat162;

__device__ inline Half2 make_half2(float low, float high) { return __floats2half2_rn(low, high); }
__device__ inline Bfloat2 make_bfloat2(float low, float high) { return __floats2bfloat162_rn(low, high); }

/// fp32 values of one fma.
using Singles = float;
inline constexpr int singles_packed = 1;
__device__ inline Singles make_singles(float value, float) { return value; }

/// x x + c, rounded once: FFMA, and in both halves HFMA2, HFMA2.BF16.
__device__ inline Singles square_and_add(Singles x, Singles c) { return fmaf(x, x, c); }
__device__ inline Half2 square_and_add(Half2 x, Half2 c) { return __hfma2(x, x, c); }
__device__ inline Bfloat2 square_and_add(Bfloat2 x, Bfloat2 c) { return __hfma2(x, x, c); }

/// Why there is no square_and_add() of bf16; empty because there is.
inline constexpr std::string_view no_bfloat_fma;

/// Four products of signed bytes and their sum, added to c: IDP.4A.
__device__ inline std::int32_t dot4(std::int32_t a, std::int32_t b, std::int32_t c) { return __dp4a(a, b, c); }

/// c - 2^x with 2^x as the special function unit gives it: MUFU.EX2. Subnormal results become 0. The fixed point
/// repels, the values swing between -5 and c; the subtraction runs beside it on a unit eight times as fast.
inline constexpr const char* exp2_instruction = "exp2";
__device__ inline float exp2_step(float x, float c) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return c - y;
}

/// 1 / x as the special function unit gives it: MUFU.RCP; of doubles MUFU.RCP64H, for their upper halves.
__device__ inline float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline double reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}

/// To fp32 and back with the halves exchanged: two widening conversions, one narrowing of both.
__device__ inline Half2 converted_and_swapped(Half2 x) {
  const float2 wide = __half22float2(x);
  return __floats2half2_rn(wide.y, wide.x);
}
/// A bf16 is the upper half of a fp32: one widening is a shift, the other a mask, and nothing is moved beside them as
/// __bfloat1622float2() does.
__device__ inline Bfloat2 converted_and_swapped(Bfloat2 x) {
  std::uint32_t pair;
  memcpy(&pair, &x, sizeof pair);
  return __floats2bfloat162_rn(__uint_as_float(pair & 0xffff0000U), __uint_as_float(pair << 16));
}

}  // namespace gable::gpu
