// SVE of any vector length (A64FX, Neoverse V1 and later).
#include "backends/openmp/isa/arm_sve.hpp"
#include "backends/openmp/isa/exp.hpp"
#include "backends/openmp/isa/streams.hpp"

namespace gable::isa {
namespace {

struct Fp16 {
  using Reg = svfloat16_t;
  static constexpr const char *unit = "vector", *dtype = "fp16", *accumulate = dtype;
  static constexpr double operations = 16;
  static std::size_t bytes() { return svcntb(); }
  static Reg load(const void* p) { return svld1_f16(svptrue_b16(), static_cast<const float16_t*>(p)); }
  static Reg add(Reg a, Reg b) { return svadd_f16_x(svptrue_b16(), a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return svmad_f16_x(svptrue_b16(), a, b, c); }
  static void store(void* p, Reg x) { svst1_f16(sink_lanes_16(), static_cast<float16_t*>(p), x); }
};

/// Four products per lane.
struct Int8Dot : Int8 {
  static Reg product(Reg x, svint8_t a, svint8_t b) { return svdot_s32(x, a, b); }
};

/// The stream loops (see streams.hpp): vectors of doubles under a predicate.
struct Loops {
  using Reg = svfloat64_t;
  static Reg set(double x) { return svdup_n_f64(x); }
  static Reg load(const double* from, svbool_t lanes) { return svld1_f64(lanes, from); }
  static Reg fma(Reg a, Reg b, Reg c, svbool_t lanes) { return svmla_f64_x(lanes, c, b, a); }
  static Reg exclusive_or(Reg a, Reg b, svbool_t lanes) {
    return svreinterpret_f64_u64(sveor_u64_x(lanes, svreinterpret_u64_f64(a), svreinterpret_u64_f64(b)));
  }
  static void store(double* to, Reg x, svbool_t lanes) { svst1_f64(lanes, to, x); }
  static void fence() {}

  [[gnu::always_inline]] static void read(const double* a, std::size_t n, std::uint64_t passes, void* sink) {
    svuint64_t s0 = svdup_n_u64(0), s1 = s0, s2 = s0, s3 = s0;
    const std::size_t part = n / read_streams, lanes = svcntd();
    const auto* words = reinterpret_cast<const std::uint64_t*>(a);
    const auto fold = [&](svbool_t p, std::size_t i) __attribute__((always_inline)) {
      s0 = sveor_u64_m(p, s0, svld1_u64(p, words + i));
      s1 = sveor_u64_m(p, s1, svld1_u64(p, words + part + i));
      s2 = sveor_u64_m(p, s2, svld1_u64(p, words + 2 * part + i));
      s3 = sveor_u64_m(p, s3, svld1_u64(p, words + 3 * part + i));
    };
    for (; passes != 0; --passes) {
      std::size_t i = 0;
      for (; i + lanes <= part; i += lanes) fold(svptrue_b64(), i);
      if (i < part) fold(svwhilelt_b64_u64(i, part), i);  // a part is 16 doubles at least, a vector at most 32
      next_pass();
    }
    const svuint64_t sum =
        sveor_u64_x(svptrue_b64(), sveor_u64_x(svptrue_b64(), s0, s1), sveor_u64_x(svptrue_b64(), s2, s3));
    svst1_u64(sink_lanes_64(), static_cast<std::uint64_t*>(sink), sum);
  }

  /// Four whole vectors of each half at a time, so that the shortest vectors fill a line, the rest under a predicate;
  /// whatever the step.
  template <std::size_t step, class Body>
  [[gnu::always_inline]] static void for_vectors(std::size_t n, std::uint64_t passes, Body body) {
    static_assert(store_streams == 2);
    const std::size_t lanes = svcntd(), half = n / 2;
    for (; passes != 0; --passes) {
      const svbool_t all = svptrue_b64();
      std::size_t i = 0;
      for (; i + 4 * lanes <= half; i += 4 * lanes) {
        body(i, all), body(i + lanes, all), body(i + 2 * lanes, all), body(i + 3 * lanes, all);
        body(half + i, all), body(half + i + lanes, all), body(half + i + 2 * lanes, all),
            body(half + i + 3 * lanes, all);
      }
      for (; i < half; i += lanes) body(i, svwhilelt_b64_u64(i, half)), body(half + i, svwhilelt_b64_u64(i, half));
      next_pass();
    }
  }
};
struct NonTemporal : Loops {
  static void store(double* to, Reg x, svbool_t lanes) { svstnt1_f64(lanes, to, x); }
};

/// Four pipes of 4 cycles (Neoverse V2) need 16 chains, two of 9 (A64FX) 18; 24 fit 32 registers.
constexpr std::size_t many = 24;

constexpr ComputeKernel per_128_bits[] = {
    fma_row<Fp64, many>("fmad"),
    mul_add_row<Fp64, many>("no_fma", "fmul+fadd"),
    fma_no_ilp_row<Fp64>("fmad"),
    fma_row<Fp32, many>("fmad"),
    mul_add_row<Fp32, many>("no_fma", "fmul+fadd"),
    fma_no_ilp_row<Fp32>("fmad"),
    row<Fp16>("", "fmad", 2 * many, 1, fma_chains<Fp16, 2, many>),
    product_row<Int8Dot, many>("sdot"),
    exp_fp32_row<Fp32>("fmad+fmla+fmsb+fmls+fadd+lsl+add"),
    exp_fp64_row<Fp64>("fmad+fmla+fmsb+fmls+fadd+lsl+add"),
    divide_row<Fp64>("fdiv"),
    divide_row<Fp32>("fdiv"),
};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_sve() {
  using namespace gable::isa;
  static const ScalableTable table("sve", per_128_bits, stream_kernels<Loops, NonTemporal>);
  return &table.table;
}
