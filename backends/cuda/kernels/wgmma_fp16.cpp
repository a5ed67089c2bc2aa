#include "backends/cuda/kernels/wgmma.hpp"

#include "backends/cuda/kernels/matrix.hpp"

namespace gable::gpu {
namespace {

struct Fp16 {
  using Result = float;
  static constexpr DType storage = DType::fp16, accumulate = DType::fp32;
  static constexpr const char* instruction = "wgmma.m64n256k16";
  static constexpr int results = 128, packed = 1;
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", "%128, %129, p, 1, 1, 0, 0");
  }
};

struct Fp16InFp16 {
  using Result = std::uint32_t;
  static constexpr DType storage = DType::fp16, accumulate = DType::fp16;
  static constexpr const char* instruction = "wgmma.m64n256k16";
  static constexpr int results = 64, packed = 2;
  __device__ static void multiply(Result (&c)[64], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(64, "+r", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16", "%64, %65, p, 1, 1, 0, 0");
  }
};

}  // namespace

ComputeKernel wgmma_fp16() { return wgmma_entry<Fp16>(); }
ComputeKernel wgmma_fp16_in_fp16() { return wgmma_entry<Fp16InFp16>(); }

}  // namespace gable::gpu
