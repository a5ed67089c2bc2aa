#include "backends/hip/kernels/matrix.hpp"
#include "backends/hip/kernels/mfma.hpp"

namespace gable::gpu {
namespace {

/// AMD calls tf32 xf32.
struct Xf32 : Mfma32<Vector<float, 2>, DType::tf32, float> {
  static constexpr const char* instruction = "mfma.32x32x4_xf32";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x4_xf32(a, b, c, 0, 0, 0);
  }
};

struct E4m3 : Mfma32<std::int64_t, DType::fp8_e4m3fnuz, float> {
  static constexpr const char* instruction = "mfma.32x32x16";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(a, b, c, 0, 0, 0);
  }
};

struct E5m2 : Mfma32<std::int64_t, DType::fp8_e5m2fnuz, float> {
  static constexpr const char* instruction = "mfma.32x32x16";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8(a, b, c, 0, 0, 0);
  }
};

struct Int8 : Mfma32<std::int64_t, DType::int8, std::int32_t> {
  static constexpr const char* instruction = "mfma.32x32x16";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_i32_32x32x16_i8(a, b, c, 0, 0, 0);
  }
};

}  // namespace

std::vector<ComputeKernel> mfma_cdna3_kernels() {
  return {wave_product_entry<MfmaFp64>(), wave_product_entry<MfmaFp32>(), wave_product_entry<Xf32>(),
          wave_product_entry<MfmaFp16>(), wave_product_entry<MfmaBf16>(), wave_product_entry<E4m3>(),
          wave_product_entry<E5m2>(),     wave_product_entry<Int8>()};
}

}  // namespace gable::gpu
