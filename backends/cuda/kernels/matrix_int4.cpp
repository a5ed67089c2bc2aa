#include "backends/cuda/kernels/matrix.hpp"

#include <cstdint>

#include "backends/cuda/kernels/matrix_warp.hpp"

namespace gable::gpu {
namespace {

struct Int4 : Rows16<DType::int4, DType::int32, std::int32_t> {
  static constexpr const char* instruction = "mma.sync.m16n8k64";
  __device__ static void multiply(Result (&c)[4], const Word (&a)[4], const Word (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

}  // namespace

std::vector<ComputeKernel> int4_kernels() { return {warp_product_entry<Int4>()}; }

}  // namespace gable::gpu
