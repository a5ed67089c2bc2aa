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

/// Four pipes of 4 cycles (Neoverse V2) need 16 chains; 20 and four constants fit 32 registers.
using Many = UpTo<20>;
constexpr double many = 20;

template <class T>
struct Scalar {
  using Reg = T;
  static constexpr std::size_t bytes() { return sizeof(T); }
  static Reg load(const void* p) { return *static_cast<const T*>(p); }
  static Reg add(Reg a, Reg b) { return a + b; }
  static Reg fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
  static Reg fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static void store(void* p, Reg x) { *static_cast<T*>(p) = x; }
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
  static void store_non_temporal(double* p, Reg x) {
    asm volatile("stnp %q1, %q2, %0" : "=Ump"(*reinterpret_cast<float64x2x2_t*>(p)) : "w"(x.val[0]), "w"(x.val[1]));
  }
};

/// Eight halves.
struct Half {
  static float16x8_t load(const void* p) {
    return vreinterpretq_f16_u16(vld1q_u16(static_cast<const std::uint16_t*>(p)));
  }
  static void store(void* p, float16x8_t x) { vst1q_u16(static_cast<std::uint16_t*>(p), vreinterpretq_u16_f16(x)); }
};

/// fp16 -> fp32 -> fp16, eight elements.
[[gnu::always_inline]] inline void convert_fp16(std::uint64_t iterations, const void* in, void* sink) {
  auto round_trip = [](const float16x8_t& x) __attribute__((always_inline)) {
    float32x4_t low = vcvt_f32_f16(vget_low_f16(x)), high = vcvt_high_f32_f16(x);
    opaque(low), opaque(high);
    return vcvt_high_f16_f32(vcvt_f16_f32(low), high);
  };
  map<Half, 4>(iterations, sink, round_trip, Half::load(start_at(in, 0, 16)), Half::load(start_at(in, 1, 16)));
}

}  // namespace

extern "C" {
void gable_neon_fp64_vector(std::uint64_t n, const void* in, void* sink) { fmla_chains<Fp64, 1>(n, in, sink, Many{}); }
void gable_neon_fp64_vector_no_ilp(std::uint64_t n, const void* in, void* sink) {
  fmla_chains<Fp64, chain_length / 2>(n, in, sink, UpTo<1>{});
}
void gable_neon_fp64_vector_no_fma(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp64, 2>(n, in, sink, Many{});
}
void gable_neon_fp32_vector(std::uint64_t n, const void* in, void* sink) { fmla_chains<Fp32, 1>(n, in, sink, Many{}); }
void gable_neon_fp32_vector_no_ilp(std::uint64_t n, const void* in, void* sink) {
  fmla_chains<Fp32, chain_length / 2>(n, in, sink, UpTo<1>{});
}
void gable_neon_fp32_vector_no_fma(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp32, 2>(n, in, sink, Many{});
}
void gable_neon_fp64_scalar_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Scalar<double>, 2>(n, in, sink, Many{});
}
void gable_neon_fp64_scalar_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Scalar<double>, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_neon_fp32_scalar_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Scalar<float>, 2>(n, in, sink, Many{});
}
void gable_neon_fp32_scalar_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Scalar<float>, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_neon_fp32_exp(std::uint64_t n, const void* in, void* sink) { exp_fp32<Fp32>(n, in, sink); }
void gable_neon_fp64_exp(std::uint64_t n, const void* in, void* sink) { exp_fp64<Fp64>(n, in, sink); }
void gable_neon_fp16_convert(std::uint64_t n, const void* in, void* sink) { convert_fp16(n, in, sink); }

void gable_neon_read(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void* sink) {
  read_stream<Pair>(a, n, passes, sink);
}
void gable_neon_write(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  write_stream<Pair>(a, n, passes, Pair::store);
}
void gable_neon_copy(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  copy_stream<Pair>(a, b, n, passes, Pair::store);
}
void gable_neon_update(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  update_stream<Pair>(a, n, passes, Pair::store);
}
void gable_neon_triad(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  triad_stream<Pair>(a, b, c, n, passes, Pair::store);
}
void gable_neon_write_nt(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  write_stream<Pair>(a, n, passes, Pair::store_non_temporal);
}
void gable_neon_copy_nt(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  copy_stream<Pair>(a, b, n, passes, Pair::store_non_temporal);
}
void gable_neon_triad_nt(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  triad_stream<Pair>(a, b, c, n, passes, Pair::store_non_temporal);
}
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "fmla+fmls",
     .operations = many * 2 * 4,
     .instructions = many * 2,
     .symbol = "gable_neon_fp64_vector",
     .run = gable_neon_fp64_vector,
     .chain = gable_neon_fp64_vector_no_ilp,
     .chain_length = chain_length / 2},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_fma",
     .instruction = "fmul+fadd",
     .operations = many * 2 * 4,
     .instructions = many * 2 * 2,
     .symbol = "gable_neon_fp64_vector_no_fma",
     .run = gable_neon_fp64_vector_no_fma},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_ilp",
     .instruction = "fmla+fmls",
     .operations = chain_length * 4,
     .instructions = chain_length,
     .symbol = "gable_neon_fp64_vector_no_ilp",
     .run = gable_neon_fp64_vector_no_ilp,
     .chain = gable_neon_fp64_vector_no_ilp,
     .chain_length = chain_length / 2},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "fmla+fmls",
     .operations = many * 2 * 8,
     .instructions = many * 2,
     .symbol = "gable_neon_fp32_vector",
     .run = gable_neon_fp32_vector,
     .chain = gable_neon_fp32_vector_no_ilp,
     .chain_length = chain_length / 2},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_fma",
     .instruction = "fmul+fadd",
     .operations = many * 2 * 8,
     .instructions = many * 2 * 2,
     .symbol = "gable_neon_fp32_vector_no_fma",
     .run = gable_neon_fp32_vector_no_fma},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_ilp",
     .instruction = "fmla+fmls",
     .operations = chain_length * 8,
     .instructions = chain_length,
     .symbol = "gable_neon_fp32_vector_no_ilp",
     .run = gable_neon_fp32_vector_no_ilp,
     .chain = gable_neon_fp32_vector_no_ilp,
     .chain_length = chain_length / 2},
    {.unit = "scalar",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "fmadd",
     .operations = many * 2 * 2,
     .instructions = many * 2,
     .symbol = "gable_neon_fp64_scalar_fma",
     .run = gable_neon_fp64_scalar_fma,
     .chain = gable_neon_fp64_scalar_chain,
     .chain_length = chain_length},
    {.unit = "scalar",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "fmadd",
     .operations = many * 2 * 2,
     .instructions = many * 2,
     .symbol = "gable_neon_fp32_scalar_fma",
     .run = gable_neon_fp32_scalar_fma,
     .chain = gable_neon_fp32_scalar_chain,
     .chain_length = chain_length},
    {.unit = "exp",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "fmla+fmls+fadd+shl+add",
     .operations = 4 * 2 * 4,
     .instructions = 4 * 2 * 12,
     .symbol = "gable_neon_fp32_exp",
     .run = gable_neon_fp32_exp},
    {.unit = "exp",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "fmla+fmls+fadd+shl+add",
     .operations = 4 * 2 * 2,
     .instructions = 4 * 2 * 17,
     .symbol = "gable_neon_fp64_exp",
     .run = gable_neon_fp64_exp},
    {.unit = "convert",
     .dtype = "fp16",
     .accumulate = "fp32",
     .instruction = "fcvtl+fcvtl2+fcvtn+fcvtn2",
     .operations = 4 * 2 * 16,
     .instructions = 4 * 2 * 4,
     .symbol = "gable_neon_fp16_convert",
     .run = gable_neon_fp16_convert},
};

const StreamKernel stream[] = {
    {.access = "read", .stores = "none", .symbol = "gable_neon_read", .run = gable_neon_read},
    {.access = "write", .stores = "ordinary", .symbol = "gable_neon_write", .run = gable_neon_write},
    {.access = "copy", .stores = "ordinary", .symbol = "gable_neon_copy", .run = gable_neon_copy},
    {.access = "update", .stores = "ordinary", .symbol = "gable_neon_update", .run = gable_neon_update},
    {.access = "triad", .stores = "ordinary", .symbol = "gable_neon_triad", .run = gable_neon_triad},
    {.access = "write", .stores = "non_temporal", .symbol = "gable_neon_write_nt", .run = gable_neon_write_nt},
    {.access = "copy", .stores = "non_temporal", .symbol = "gable_neon_copy_nt", .run = gable_neon_copy_nt},
    {.access = "triad", .stores = "non_temporal", .symbol = "gable_neon_triad_nt", .run = gable_neon_triad_nt},
};

const IsaTable table{.name = "neon",
                     .vector_bits = 128,
                     .compute = compute,
                     .compute_count = sizeof(compute) / sizeof(*compute),
                     .stream = stream,
                     .stream_count = sizeof(stream) / sizeof(*stream)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_neon() { return &gable::isa::table; }
