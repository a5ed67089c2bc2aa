// NEON of Armv8.0.
#include "backends/openmp/isa/arm_neon.hpp"

namespace gable::isa {
namespace {
/// For the stream loops, which hold pairs of registers: found by them through this declaration.
[[gnu::always_inline]] inline void opaque(float64x2x2_t& pair) { opaque(pair.val[0]), opaque(pair.val[1]); }
}  // namespace
}  // namespace gable::isa

#include "backends/openmp/isa/exp.hpp"
#include "backends/openmp/isa/streams.hpp"

namespace gable::isa {
namespace {

struct Fp64 : Vector<double, 16> {
  static Reg fma(Reg a, Reg b, Reg c) { return vfmaq_f64(c, a, b); }
  static Reg fnma(Reg a, Reg b, Reg c) { return vfmsq_f64(c, a, b); }
};
struct Fp32 : Vector<float, 16> {
  static Reg fma(Reg a, Reg b, Reg c) { return vfmaq_f32(c, a, b); }
  static Reg fnma(Reg a, Reg b, Reg c) { return vfmsq_f32(c, a, b); }
};

/// Two registers at once: loads and stores of pairs, and the only non-temporal store NEON has.
struct Pair {
  using Reg = float64x2x2_t;
  static Reg load(const double* p) { return {{vld1q_f64(p), vld1q_f64(p + 2)}}; }
  static Reg set(double x) { return {{vdupq_n_f64(x), vdupq_n_f64(x)}}; }
  static Reg zero() { return set(0); }
  static float64x2_t exclusive_or(float64x2_t a, float64x2_t b) {
    return vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)));
  }
  static Reg exclusive_or(Reg a, Reg b) {
    return {{exclusive_or(a.val[0], b.val[0]), exclusive_or(a.val[1], b.val[1])}};
  }
  static Reg fma(Reg a, Reg b, Reg c) {
    return {{vfmaq_f64(c.val[0], a.val[0], b.val[0]), vfmaq_f64(c.val[1], a.val[1], b.val[1])}};
  }
  static void store(void* p, Reg x) {
    vst1q_f64(static_cast<double*>(p), x.val[0]), vst1q_f64(static_cast<double*>(p) + 2, x.val[1]);
  }
  static void fence() {}
};
struct NonTemporal : Pair {
  static void store(double* p, Reg x) {
    asm volatile("stnp %q1, %q2, %0" : "=Ump"(*reinterpret_cast<float64x2x2_t*>(p)) : "w"(x.val[0]), "w"(x.val[1]));
  }
};

/// Eight elements.
struct Fp16Conversion : Conversion<16> {
  static constexpr const char* dtype = "fp16";
  Reg operator()(Reg x) const {
    const auto halves = (float16x8_t)x;
    float32x4_t low = vcvt_f32_f16(vget_low_f16(halves)), high = vcvt_high_f32_f16(halves);
    opaque(low), opaque(high);
    return (Reg)vcvt_high_f16_f32(vcvt_f16_f32(low), high);
  }
};

/// Four pipes of 4 cycles (Neoverse V2) need 16 chains; 20 and four constants fit 32 registers.
constexpr std::size_t many = 20;

constexpr ComputeKernel compute[] = {
    fmla_clocked<Fp64>(fmla_row<Fp64, many>()),
    mul_add_row<Fp64, many>("no_fma", "fmul+fadd"),
    fmla_no_ilp_row<Fp64>(),
    fmla_clocked<Fp32>(fmla_row<Fp32, many>()),
    mul_add_row<Fp32, many>("no_fma", "fmul+fadd"),
    fmla_no_ilp_row<Fp32>(),
    fma_row<Scalar<double>, many>("fmadd"),
    fma_row<Scalar<float>, many>("fmadd"),
    exp_fp32_row<Fp32>("fmla+fmls+fadd+shl+add"),
    exp_fp64_row<Fp64>("fmla+fmls+fadd+shl+add"),
    divide_row<Fp64>("fdiv"),
    divide_row<Fp32>("fdiv"),
    convert_row<Fp16Conversion, 2>("fcvtl+fcvtl2+fcvtn+fcvtn2", 4),
};

constexpr IsaTable table{"neon", 128, compute, stream_kernels<FixedLoops<Pair>, FixedLoops<NonTemporal>>};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_neon() { return &gable::isa::table; }
