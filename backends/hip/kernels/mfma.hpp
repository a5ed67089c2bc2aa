#pragma once
#include <type_traits>

#include "backends/hip/kernels/lane_map.hpp"
#include "backends/hip/kernels/matrix_wave.hpp"

namespace gable::gpu {

/// A lane's vectors as the builtins take them.
template <class T, int count>
using Vector = T __attribute__((ext_vector_type(count)));

/// v_mfma with 32 rows and columns, summed in 32 bits: what a lane brings, of which type, and what it sums in.
template <class Operand, DType type, class Sum>
struct Mfma32 {
  using Fragment = Operand;
  using Result = Sum;
  using Accumulator = Vector<Sum, 16>;
  static constexpr DType storage = type, accumulate = std::is_integral_v<Sum> ? DType::int32 : DType::fp32;
  static constexpr int wave = 64, side = 32, lane_groups = 2;
  __device__ static int c_row(int lane, int element) { return mfma32_row(lane, element); }
};

/// All CDNA chips have this one.
struct MfmaFp64 {
  using Fragment = double;
  using Result = double;
  using Accumulator = Vector<double, 4>;
  static constexpr DType storage = DType::fp64, accumulate = DType::fp64;
  static constexpr const char* instruction = "mfma.16x16x4";
  static constexpr int wave = 64, side = 16, lane_groups = 4;
  __device__ static int c_row(int lane, int element) { return mfma_fp64_row(lane, element); }
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 0);
  }
};

/// And this one.
struct MfmaFp32 : Mfma32<float, DType::fp32, float> {
  static constexpr const char* instruction = "mfma.32x32x2";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, c, 0, 0, 0);
  }
};

/// These two are the widest of CDNA2 and CDNA3.
struct MfmaFp16 : Mfma32<Vector<_Float16, 4>, DType::fp16, float> {
  static constexpr const char* instruction = "mfma.32x32x8";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
  }
};

struct MfmaBf16 : Mfma32<Vector<short, 4>, DType::bf16, float> {
  static constexpr const char* instruction = "mfma.32x32x8";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0);
  }
};

}  // namespace gable::gpu
