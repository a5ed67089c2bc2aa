// NEON with half-precision arithmetic (Armv8.2 FP16).
#include "backends/openmp/isa/arm_neon.hpp"

namespace gable::isa {
namespace {

struct Fp16 {
  using Reg = float16x8_t;
  static constexpr const char *unit = "vector", *dtype = "fp16", *accumulate = dtype;
  static constexpr double operations = 16;
  static constexpr std::size_t bytes() { return 16; }
  static Reg load(const void* p) { return vld1q_f16(static_cast<const float16_t*>(p)); }
  static Reg add(Reg a, Reg b) { return vaddq_f16(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return vfmaq_f16(c, a, b); }
  static Reg fnma(Reg a, Reg b, Reg c) { return vfmsq_f16(c, a, b); }
  static void store(void* p, Reg x) { vst1q_f16(static_cast<float16_t*>(p), x); }
};

constexpr ComputeKernel compute[] = {fmla_row<Fp16, 20>()};

constexpr IsaTable table{"neon_fp16", 128, compute, {}};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_neon_fp16() { return &gable::isa::table; }
