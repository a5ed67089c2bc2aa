#include "backends/cuda/kernels/wgmma.hpp"

#include "backends/cuda/kernels/matrix.hpp"

namespace gable::gpu {
namespace {

struct Int8 {
  using Result = std::int32_t;
  static constexpr DType storage = DType::int8, accumulate = DType::int32;
  static constexpr const char* instruction = "wgmma.m64n256k32";
  static constexpr int results = 128, packed = 1;
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+r", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8", "%128, %129, p");
  }
};

}  // namespace

ComputeKernel wgmma_int8() { return wgmma_entry<Int8>(); }

}  // namespace gable::gpu
