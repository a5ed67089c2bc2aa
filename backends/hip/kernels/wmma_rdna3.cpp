#include <type_traits>

#include "backends/hip/kernels/lane_map.hpp"
#include "backends/hip/kernels/matrix.hpp"
#include "backends/hip/kernels/matrix_wave.hpp"

namespace gable::gpu {
namespace {

/// v_wmma of RDNA3 on 32 lanes: lanes 16 to 31 hold the same operands as 0 to 15 (RDNA3 Instruction Set Architecture,
/// wave matrix multiply accumulate).
template <class Element, int elements, DType type, class Sum>
struct Wmma {
  using Fragment = Element __attribute__((ext_vector_type(elements)));
  using Result = Sum;
  using Accumulator = Sum __attribute__((ext_vector_type(8)));
  static constexpr DType storage = type, accumulate = std::is_integral_v<Sum> ? DType::int32 : DType::fp32;
  static constexpr int wave = 32, side = 16, lane_groups = 1;
  static constexpr const char* instruction = "wmma.16x16x16";
  __device__ static int c_row(int lane, int element) { return wmma_row(lane, element); }
};

struct Fp16 : Wmma<_Float16, 16, DType::fp16, float> {
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
  }
};

struct Bf16 : Wmma<short, 16, DType::bf16, float> {
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
  }
};

struct Int8 : Wmma<std::int32_t, 4, DType::int8, std::int32_t> {
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, true, b, c, false);
  }
};

struct Int4 : Wmma<std::int32_t, 2, DType::int4, std::int32_t> {
  __device__ static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {
    return __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32(true, a, true, b, c, false);
  }
};

}  // namespace

std::vector<ComputeKernel> wmma_kernels() {
  return {wave_product_entry<Fp16>(), wave_product_entry<Bf16>(), wave_product_entry<Int8>(),
          wave_product_entry<Int4>()};
}

}  // namespace gable::gpu
