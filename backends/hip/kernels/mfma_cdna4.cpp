#include "backends/hip/kernels/matrix.hpp"
#include "backends/hip/kernels/mfma.hpp"

namespace gable::gpu {
namespace {

struct Fp16 : Mfma32<float> {
  using Fragment = Vector<_Float16, 8>;
  static constexpr DType storage = DType::fp16, accumulate = DType::fp32;
  static constexpr const char* instruction = "mfma.32x32x16";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, c, 0, 0, 0);
  }
};

struct Bf16 : Mfma32<float> {
  using Fragment = Vector<__bf16, 8>;
  static constexpr DType storage = DType::bf16, accumulate = DType::fp32;
  static constexpr const char* instruction = "mfma.32x32x16";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x16_bf16(a, b, c, 0, 0, 0);
  }
};

/// The wide instruction for types of 4 to 8 bits, without scales: the older v_mfma_f32_32x32x16 of fp8 has half its
/// rate. `format` 0 is e4m3, 1 is e5m2, both of OCP.
template <DType type, int format>
struct Fp8 : Mfma32<float> {
  using Fragment = Vector<std::int32_t, 8>;
  static constexpr DType storage = type, accumulate = DType::fp32;
  static constexpr const char* instruction = "mfma.32x32x64";
  __device__ static typename Mfma32<float>::Accumulator multiply(Fragment a, Fragment b,
                                                                 typename Mfma32<float>::Accumulator c) {
    return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a, b, c, format, format, 0, 0, 0, 0);
  }
};
struct E4m3 : Fp8<DType::fp8_e4m3, 0> {};
struct E5m2 : Fp8<DType::fp8_e5m2, 1> {};

struct Int8 : Mfma32<std::int32_t> {
  using Fragment = Vector<std::int32_t, 4>;
  static constexpr DType storage = DType::int8, accumulate = DType::int32;
  static constexpr const char* instruction = "mfma.32x32x32";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_i32_32x32x32_i8(a, b, c, 0, 0, 0);
  }
};

}  // namespace

std::vector<ComputeKernel> mfma_cdna4_kernels() {
  return {wave_product_entry<MfmaFp64>(), wave_product_entry<MfmaFp32>(), wave_product_entry<Fp16>(),
          wave_product_entry<Bf16>(),     wave_product_entry<E4m3>(),     wave_product_entry<E5m2>(),
          wave_product_entry<Int8>()};
}

}  // namespace gable::gpu
