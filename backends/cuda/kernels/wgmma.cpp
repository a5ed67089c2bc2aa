#include "backends/cuda/kernels/wgmma.hpp"

#include "backends/cuda/kernels/matrix.hpp"

namespace gable::gpu {
namespace {

/// Types and words of an accumulator; 128 words of one element, or 64 of two.
template <DType type, DType sum, class Word, int words = 128>
struct Wgmma {
  using Result = Word;
  static constexpr DType storage = type, accumulate = sum;
  static constexpr int results = words, packed = 128 / words;
};

struct Tf32 : Wgmma<DType::tf32, DType::fp32, float> {
  static constexpr const char* instruction = "wgmma.m64n256k8";
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32", "%128, %129, p, 1, 1");
  }
};

struct Fp16 : Wgmma<DType::fp16, DType::fp32, float> {
  static constexpr const char* instruction = "wgmma.m64n256k16";
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", "%128, %129, p, 1, 1, 0, 0");
  }
};

struct Fp16InFp16 : Wgmma<DType::fp16, DType::fp16, std::uint32_t, 64> {
  static constexpr const char* instruction = "wgmma.m64n256k16";
  __device__ static void multiply(Result (&c)[64], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(64, "+r", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16", "%64, %65, p, 1, 1, 0, 0");
  }
};

struct Bf16 : Wgmma<DType::bf16, DType::fp32, float> {
  static constexpr const char* instruction = "wgmma.m64n256k16";
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16",
                "%128, %129, p, 1, 1, 0, 0");
  }
};

struct E4m3 : Wgmma<DType::fp8_e4m3, DType::fp32, float> {
  static constexpr const char* instruction = "wgmma.m64n256k32";
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3", "%128, %129, p, 1, 1");
  }
};

struct E5m2 : Wgmma<DType::fp8_e5m2, DType::fp32, float> {
  static constexpr const char* instruction = "wgmma.m64n256k32";
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+f", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k32.f32.e5m2.e5m2", "%128, %129, p, 1, 1");
  }
};

struct Int8 : Wgmma<DType::int8, DType::int32, std::int32_t> {
  static constexpr const char* instruction = "wgmma.m64n256k32";
  __device__ static void multiply(Result (&c)[128], std::uint64_t a, std::uint64_t b) {
    GABLE_WGMMA(128, "+r", c, a, b, "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8", "%128, %129, p");
  }
};

}  // namespace

std::vector<ComputeKernel> wgmma_kernels() {
  return {wgmma_entry<Tf32>(), wgmma_entry<Fp16>(), wgmma_entry<Fp16InFp16>(), wgmma_entry<Bf16>(),
          wgmma_entry<E4m3>(), wgmma_entry<E5m2>(), wgmma_entry<Int8>()};
}

}  // namespace gable::gpu
