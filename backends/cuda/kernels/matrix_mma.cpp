#include "backends/cuda/kernels/matrix.hpp"

#include <cstdint>

#include "backends/cuda/kernels/matrix_warp.hpp"

namespace gable::gpu {
namespace {

struct Fp64 {
  using Word = double;
  using Result = double;
  static constexpr DType storage = DType::fp64, accumulate = DType::fp64;
  static constexpr const char* instruction = "mma.sync.m8n8k4";
  static constexpr int rows = 8, k_words = 4, a_words = 1, b_words = 1, results = 2, packed = 1;
  static constexpr int tiles_m = 2, tiles_n = 4;
  static constexpr int blocks_per_multiprocessor = 2;
  __device__ static void multiply(Result (&c)[2], const Word (&a)[1], const Word (&b)[1]) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a[0]), "d"(b[0]));
  }
};

struct Tf32 : Rows16<DType::tf32, DType::fp32, float> {
  static constexpr const char* instruction = "mma.sync.m16n8k8";
  __device__ static void multiply(Result (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Fp16 : Rows16<DType::fp16, DType::fp32, float> {
  static constexpr const char* instruction = "mma.sync.m16n8k16";
  __device__ static void multiply(Result (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Fp16InFp16 : Rows16<DType::fp16, DType::fp16, std::uint32_t, 2> {
  static constexpr const char* instruction = "mma.sync.m16n8k16";
  __device__ static void multiply(Result (&c)[2], const Word (&a)[4], const Word (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(c[0]), "+r"(c[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Bf16 : Rows16<DType::bf16, DType::fp32, float> {
  static constexpr const char* instruction = "mma.sync.m16n8k16";
  __device__ static void multiply(Result (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
        "%2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Int8 : Rows16<DType::int8, DType::int32, std::int32_t> {
  static constexpr const char* instruction = "mma.sync.m16n8k32";
  __device__ static void multiply(Result (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

}  // namespace

std::vector<ComputeKernel> mma_kernels(bool beside) {
  return {warp_product_entry<Fp64>(beside),       warp_product_entry<Tf32>(beside), warp_product_entry<Fp16>(beside),
          warp_product_entry<Fp16InFp16>(beside), warp_product_entry<Bf16>(beside), warp_product_entry<Int8>(beside)};
}

}  // namespace gable::gpu
