// SVE with bf16 (Neoverse V1 and later): dot products and 2x2 matrix products into fp32.
#include "backends/openmp/isa/arm_sve.hpp"

namespace gable::isa {
namespace {

struct Bf16Dot : Fp32 {
  static constexpr const char* dtype = "bf16";
  static constexpr double operations = 16;
  static svbfloat16_t factor(const char* p) {
    return svreinterpret_bf16_u16(svld1_u16(svptrue_b16(), reinterpret_cast<const std::uint16_t*>(p)));
  }
  static svbfloat16_t negative(svbfloat16_t b) {
    return svreinterpret_bf16_u16(sveor_n_u16_x(svptrue_b16(), svreinterpret_u16_bf16(b), 0x8000));
  }
  static Reg product(Reg x, svbfloat16_t a, svbfloat16_t b) { return svbfdot_f32(x, a, b); }
};
struct Bf16Matrix : Bf16Dot {
  static constexpr const char* unit = "matrix";
  static constexpr double operations = 32;
  static Reg product(Reg x, svbfloat16_t a, svbfloat16_t b) { return svbfmmla_f32(x, a, b); }
};

constexpr ComputeKernel per_128_bits[] = {
    signed_product_row<Bf16Dot, 24>("bfdot"),
    signed_product_row<Bf16Matrix, 24>("bfmmla"),
};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_sve_bf16() {
  static const gable::isa::ScalableTable table("sve_bf16", gable::isa::per_128_bits);
  return &table.table;
}
