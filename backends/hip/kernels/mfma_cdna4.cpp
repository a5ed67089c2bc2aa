#include "backends/hip/kernels/matrix.hpp"
#include "backends/hip/kernels/mfma.hpp"

namespace gable::gpu {
namespace {

struct Fp16 : Mfma32<Vector<_Float16, 8>, DType::fp16, float> {
  static constexpr const char* instruction = "mfma.32x32x16";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, c, 0, 0, 0);
  }
};

struct Bf16 : Mfma32<Vector<__bf16, 8>, DType::bf16, float> {
  static constexpr const char* instruction = "mfma.32x32x16";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_32x32x16_bf16(a, b, c, 0, 0, 0);
  }
};

/// 32 elements of 4, 6 or 8 bits, one behind the other.
template <int count>
struct Words {
  std::int32_t word[count];
};
template <int count>
__device__ Words<count> unknown(Words<count> words) {
#pragma unroll
  for (int i = 0; i < count; ++i) words.word[i] = gable::gpu::unknown(words.word[i]);
  return words;
}

/// The one instruction for types of 4 to 8 bits of OCP; the older v_mfma_f32_32x32x16 of fp8 has half its rate.
/// `format` 0 is e4m3, 1 e5m2, 2 e2m3, 3 e3m2, 4 e2m1; the lower words of what the instruction names hold the narrower
/// ones. Block-scaled types have the same with a scale for the 32 elements that a lane brings (v_mfma_scale, OCP MX):
/// here of 1, which the instruction multiplies by all the same. Of 8 bits it takes a lane's elements as other depths
/// than the 32 neighbours that they are, of A and B in one order, which changes no sum while all scales are alike.
template <DType type, int format,
          int words = format<2 ? 8 : (format < 4 ? 6 : 4)> struct Narrow : Mfma32<Words<words>, type, float> {
  using typename Mfma32<Words<words>, type, float>::Fragment;
  using typename Mfma32<Words<words>, type, float>::Accumulator;
  static constexpr bool scaled = type == DType::mxfp4 || type == DType::mxfp6_e2m3 || type == DType::mxfp6_e3m2 ||
                                 type == DType::mxfp8_e4m3 || type == DType::mxfp8_e5m2;
  static constexpr const char* instruction = scaled ? "mfma.scale.32x32x64" : "mfma.32x32x64";

  __device__ static Vector<std::int32_t, 8> widened(const Fragment& fragment) {
    Vector<std::int32_t, 8> all = 0;
#pragma unroll
    for (int i = 0; i < words; ++i) all[i] = fragment.word[i];
    return all;
  }
  __device__ static Accumulator multiply(const Fragment& a, const Fragment& b, Accumulator c) {
    constexpr int ones = 0x7f7f7f7f;  // 2^0 in each of four bytes, which are exponents with a bias of 127
    constexpr int scale = scaled ? ones : 0;
    return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(widened(a), widened(b), c, format, format, 0, scale, 0,
                                                           scale);
  }
};
struct Fp8E4m3 : Narrow<DType::fp8_e4m3, 0> {};
struct Fp8E5m2 : Narrow<DType::fp8_e5m2, 1> {};
struct Fp6E2m3 : Narrow<DType::fp6_e2m3, 2> {};
struct Fp6E3m2 : Narrow<DType::fp6_e3m2, 3> {};
struct Fp4E2m1 : Narrow<DType::fp4_e2m1, 4> {};
struct MxFp8E4m3 : Narrow<DType::mxfp8_e4m3, 0> {};
struct MxFp8E5m2 : Narrow<DType::mxfp8_e5m2, 1> {};
struct MxFp6E2m3 : Narrow<DType::mxfp6_e2m3, 2> {};
struct MxFp6E3m2 : Narrow<DType::mxfp6_e3m2, 3> {};
struct MxFp4 : Narrow<DType::mxfp4, 4> {};

struct Int8 : Mfma32<Vector<std::int32_t, 4>, DType::int8, std::int32_t> {
  static constexpr const char* instruction = "mfma.32x32x32";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_i32_32x32x32_i8(a, b, c, 0, 0, 0);
  }
};

}  // namespace

std::vector<ComputeKernel> mfma_cdna4_kernels() {
  return {wave_product_entry<MfmaFp64>(),  wave_product_entry<MfmaFp32>(),  wave_product_entry<Fp16>(),
          wave_product_entry<Bf16>(),      wave_product_entry<Fp8E4m3>(),   wave_product_entry<Fp8E5m2>(),
          wave_product_entry<Fp6E2m3>(),   wave_product_entry<Fp6E3m2>(),   wave_product_entry<Fp4E2m1>(),
          wave_product_entry<MxFp8E4m3>(), wave_product_entry<MxFp8E5m2>(), wave_product_entry<MxFp6E2m3>(),
          wave_product_entry<MxFp6E3m2>(), wave_product_entry<MxFp4>(),     wave_product_entry<Int8>()};
}

}  // namespace gable::gpu
