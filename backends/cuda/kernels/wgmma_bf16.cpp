#include "backends/cuda/kernels/wgmma.hpp"

#include "backends/cuda/kernels/matrix.hpp"

namespace gable::gpu {
namespace {

struct Bf16 {
  using Result = float;
  static constexpr DType storage = DType::bf16, accumulate = DType::fp32;
  static constexpr const char* instruction = "wgmma.m64n256k16";
  static constexpr int results = 128, packed = 1;
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16",
                "%128, %129, p, 1, 1, 0, 0");
  }
};

}  // namespace

ComputeKernel wgmma_bf16() { return wgmma_entry<Bf16>(); }

}  // namespace gable::gpu
