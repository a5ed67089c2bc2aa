// NEON with dot products (Armv8.2 DotProd): int8 into int32.
#include "backends/openmp/isa/arm_neon.hpp"

namespace gable::isa {
namespace {

/// Four products per lane.
struct Int8Dot : Int8<16> {
  static int8x16_t factor(const char* p) { return vld1q_s8(reinterpret_cast<const std::int8_t*>(p)); }
  static Reg product(Reg x, int8x16_t a, int8x16_t b) { return (Reg)vdotq_s32((int32x4_t)x, a, b); }
};

constexpr ComputeKernel compute[] = {product_row<Int8Dot, 20>("sdot")};

constexpr IsaTable table{"neon_dotprod", 128, compute, {}};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_neon_dotprod() { return &gable::isa::table; }
