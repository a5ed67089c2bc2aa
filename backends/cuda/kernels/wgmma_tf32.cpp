#include "backends/cuda/kernels/wgmma.hpp"

#include "backends/cuda/kernels/matrix.hpp"

namespace gable::gpu {
namespace {

struct Tf32 {
  using Result = float;
  static constexpr DType storage = DType::tf32, accumulate = DType::fp32;
  static constexpr const char* instruction = "wgmma.m64n256k8";
  static constexpr int results = 128, packed = 1;
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32", "%128, %129, p, 1, 1");
  }
};

}  // namespace

ComputeKernel wgmma_tf32() { return wgmma_entry<Tf32>(); }

}  // namespace gable::gpu
