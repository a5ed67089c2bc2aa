// NEON with half-precision arithmetic (Armv8.2 FP16).
#include "backends/openmp/isa/arm_neon.hpp"

namespace gable::isa {
namespace {

struct Fp16 {
  using Reg = float16x8_t;
  static Reg load(const void* p) { return vld1q_f16(static_cast<const float16_t*>(p)); }
  static Reg add(Reg a, Reg b) { return vaddq_f16(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return vfmaq_f16(c, a, b); }
  static Reg fnma(Reg a, Reg b, Reg c) { return vfmsq_f16(c, a, b); }
  static void store(void* p, Reg x) { vst1q_f16(static_cast<float16_t*>(p), x); }
};

}  // namespace

extern "C" void gable_neon_fp16_vector(std::uint64_t n, const void* in, void* sink) {
  fmla_chains<Fp16, 1>(n, in, sink, UpTo<20>{});
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "fp16",
     .accumulate = "fp16",
     .instruction = "fmla+fmls",
     .operations = 20 * 2 * 16,
     .instructions = 20 * 2,
     .symbol = "gable_neon_fp16_vector",
     .run = gable_neon_fp16_vector},
};

const IsaTable table{
    .name = "neon_fp16", .vector_bits = 128, .compute = compute, .compute_count = sizeof(compute) / sizeof(*compute)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_neon_fp16() { return &gable::isa::table; }
