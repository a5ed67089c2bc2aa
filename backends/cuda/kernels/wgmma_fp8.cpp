#include "backends/cuda/kernels/wgmma.hpp"

#include "backends/cuda/kernels/matrix.hpp"

namespace gable::gpu {
namespace {

struct E4m3 {
  using Result = float;
  static constexpr DType storage = DType::fp8_e4m3, accumulate = DType::fp32;
  static constexpr const char* instruction = "wgmma.m64n256k32";
  static constexpr int results = 128, packed = 1;
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3", "%128, %129, p, 1, 1");
  }
};

struct E5m2 {
  using Result = float;
  static constexpr DType storage = DType::fp8_e5m2, accumulate = DType::fp32;
  static constexpr const char* instruction = "wgmma.m64n256k32";
  static constexpr int results = 128, packed = 1;
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k32.f32.e5m2.e5m2", "%128, %129, p, 1, 1");
  }
};

}  // namespace

ComputeKernel wgmma_fp8_e4m3() { return wgmma_entry<E4m3>(); }
ComputeKernel wgmma_fp8_e5m2() { return wgmma_entry<E5m2>(); }

}  // namespace gable::gpu
