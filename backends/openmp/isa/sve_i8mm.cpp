// SVE with int8 matrix products (Neoverse V1 and later) into int32.
#include "backends/openmp/isa/arm_sve.hpp"

namespace gable::isa {
namespace {

/// The 2x2 product of 2x8 blocks a and b.
struct Int8Matrix : Int8 {
  static constexpr const char* unit = "matrix";
  static constexpr double operations = 64;
  static Reg product(Reg x, svint8_t a, svint8_t b) { return svmmla_s32(x, a, b); }
};

constexpr ComputeKernel per_128_bits[] = {product_row<Int8Matrix, 24>("smmla")};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_sve_i8mm() {
  static const gable::isa::ScalableTable table("sve_i8mm", gable::isa::per_128_bits);
  return &table.table;
}
