#include "backends/cuda/kernels/matrix.hpp"

#include "backends/cuda/kernels/matrix_warp.hpp"

namespace gable::gpu {
namespace {

struct Fp64Wide {
  using Word = double;
  using Result = double;
  static constexpr DType storage = DType::fp64, accumulate = DType::fp64;
  static constexpr const char* instruction = "mma.sync.m16n8k16";
  static constexpr int rows = 16, k_words = 16, a_words = 8, b_words = 4, results = 4, packed = 1;
  static constexpr int tiles_m = 2, tiles_n = 2;
  static constexpr int blocks_per_multiprocessor = 1;
  __device__ static void multiply(Result (&c)[4], const Word (&a)[8], const Word (&b)[4]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, "
        "%13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
          "d"(b[2]), "d"(b[3]));
  }
};

}  // namespace

std::vector<ComputeKernel> wide_fp64_kernels() { return {warp_product_entry<Fp64Wide>()}; }

}  // namespace gable::gpu
