#include "backends/hip/kernels/matrix.hpp"
#include "backends/hip/kernels/mfma.hpp"

namespace gable::gpu {
namespace {

struct Int8 : Mfma32<std::int32_t, DType::int8, std::int32_t> {
  static constexpr const char* instruction = "mfma.32x32x8";
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_mfma_i32_32x32x8i8(a, b, c, 0, 0, 0);
  }
};

}  // namespace

std::vector<ComputeKernel> mfma_cdna2_kernels() {
  return {wave_product_entry<MfmaFp64>(), wave_product_entry<MfmaFp32>(), wave_product_entry<MfmaFp16>(),
          wave_product_entry<MfmaBf16>(), wave_product_entry<Int8>()};
}

}  // namespace gable::gpu
