// SVE of any vector length (A64FX, Neoverse V1 and later).
#include "backends/openmp/isa/arm_sve.hpp"

#include "backends/openmp/isa/exp.hpp"

namespace gable::isa {
namespace {

/// Four pipes of 4 cycles (Neoverse V2) need 16 chains, two of 9 (A64FX) 18; 24 fit 32 registers.
using Many = UpTo<24>;
constexpr double many = 24;

/// x += four products per lane; sums wrap around. The compiler does not know the instruction's arithmetic.
template <int rounds, std::size_t... I>
[[gnu::always_inline]] inline void dot_chains(std::uint64_t iterations, const void* in, void* sink, Indices<I...>) {
  const auto load = [in](std::size_t i) {
    return svld1_s8(svptrue_b8(), reinterpret_cast<const std::int8_t*>(addend_at(in, i, svcntb())));
  };
  const svint8_t a0 = load(0), b0 = load(1), a1 = load(2), b1 = load(3);
  bool odd = false;
  chains<Int32, rounds>(
      iterations, sink,
      [&](svint32_t & x) __attribute__((always_inline)) {
        x = odd ? svdot_s32(x, a1, b1) : svdot_s32(x, a0, b0);
        odd = !odd;
      },
      Int32::load(start_at(in, I, svcntb()))...);
}

/// body(predicate, index) for every vector of n doubles, four whole ones of each half at a time, so that the shortest
/// vectors fill a line, the rest under a predicate.
template <class Body>
[[gnu::always_inline]] inline void for_vectors(std::size_t n, std::uint64_t passes, Body body) {
  static_assert(store_streams == 2);
  const std::size_t lanes = svcntd(), half = n / 2;
  for (; passes != 0; --passes) {
    const svbool_t all = svptrue_b64();
    std::size_t i = 0;
    for (; i + 4 * lanes <= half; i += 4 * lanes) {
      body(all, i), body(all, i + lanes), body(all, i + 2 * lanes), body(all, i + 3 * lanes);
      body(all, half + i), body(all, half + i + lanes), body(all, half + i + 2 * lanes),
          body(all, half + i + 3 * lanes);
    }
    for (; i < half; i += lanes) body(svwhilelt_b64_u64(i, half), i), body(svwhilelt_b64_u64(i, half), half + i);
    asm volatile("" : : : "memory");
  }
}

[[gnu::always_inline]] inline svfloat64_t triad_at(svbool_t p, const double* b, const double* c, svfloat64_t k) {
  return svmla_f64_x(p, svld1_f64(p, b), svld1_f64(p, c), k);
}

}  // namespace

extern "C" {
void gable_sve_fp64_vector_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp64, 2>(n, in, sink, Many{});
}
void gable_sve_fp64_vector_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp64, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_sve_fp64_vector_no_fma(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp64, 2>(n, in, sink, Many{});
}
void gable_sve_fp32_vector_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp32, 2>(n, in, sink, Many{});
}
void gable_sve_fp32_vector_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp32, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_sve_fp32_vector_no_fma(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp32, 2>(n, in, sink, Many{});
}
void gable_sve_fp16_vector_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp16, 2>(n, in, sink, Many{});
}
void gable_sve_int8_vector(std::uint64_t n, const void* in, void* sink) { dot_chains<2>(n, in, sink, Many{}); }
void gable_sve_fp32_exp(std::uint64_t n, const void* in, void* sink) { exp_fp32<Fp32>(n, in, sink); }
void gable_sve_fp64_exp(std::uint64_t n, const void* in, void* sink) { exp_fp64<Fp64>(n, in, sink); }

void gable_sve_read(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void* sink) {
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
    asm volatile("" : : : "memory");
  }
  const svuint64_t sum =
      sveor_u64_x(svptrue_b64(), sveor_u64_x(svptrue_b64(), s0, s1), sveor_u64_x(svptrue_b64(), s2, s3));
  svst1_u64(sink_lanes_64(), static_cast<std::uint64_t*>(sink), sum);
}
void gable_sve_write(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  const svfloat64_t k = svdup_n_f64(stream_scalar);
  for_vectors(
      n, passes, [&](svbool_t p, std::size_t i) __attribute__((always_inline)) { svst1_f64(p, a + i, k); });
}
void gable_sve_copy(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  for_vectors(
      n, passes, [&](svbool_t p, std::size_t i) __attribute__((always_inline)) {
        svst1_f64(p, a + i, svld1_f64(p, b + i));
      });
}
void gable_sve_update(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  const svuint64_t k = svdup_n_u64(1);  // last_bit
  auto* words = reinterpret_cast<std::uint64_t*>(a);
  for_vectors(
      n, passes, [&](svbool_t p, std::size_t i) __attribute__((always_inline)) {
        svst1_u64(p, words + i, sveor_u64_m(p, svld1_u64(p, words + i), k));
      });
}
void gable_sve_triad(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  const svfloat64_t k = svdup_n_f64(stream_scalar);
  for_vectors(
      n, passes, [&](svbool_t p, std::size_t i) __attribute__((always_inline)) {
        svst1_f64(p, a + i, triad_at(p, b + i, c + i, k));
      });
}
void gable_sve_write_nt(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  const svfloat64_t k = svdup_n_f64(stream_scalar);
  for_vectors(
      n, passes, [&](svbool_t p, std::size_t i) __attribute__((always_inline)) { svstnt1_f64(p, a + i, k); });
}
void gable_sve_copy_nt(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  for_vectors(
      n, passes, [&](svbool_t p, std::size_t i) __attribute__((always_inline)) {
        svstnt1_f64(p, a + i, svld1_f64(p, b + i));
      });
}
void gable_sve_triad_nt(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  const svfloat64_t k = svdup_n_f64(stream_scalar);
  for_vectors(
      n, passes, [&](svbool_t p, std::size_t i) __attribute__((always_inline)) {
        svstnt1_f64(p, a + i, triad_at(p, b + i, c + i, k));
      });
}
}

namespace {

/// Operations per 128 bits of vector.
const ComputeKernel per_128_bits[] = {
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "fmad",
     .operations = many * 2 * 4,
     .instructions = many * 2,
     .symbol = "gable_sve_fp64_vector_fma",
     .run = gable_sve_fp64_vector_fma,
     .chain = gable_sve_fp64_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_fma",
     .instruction = "fmul+fadd",
     .operations = many * 2 * 4,
     .instructions = many * 2 * 2,
     .symbol = "gable_sve_fp64_vector_no_fma",
     .run = gable_sve_fp64_vector_no_fma},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_ilp",
     .instruction = "fmad",
     .operations = chain_length * 4,
     .instructions = chain_length,
     .symbol = "gable_sve_fp64_vector_chain",
     .run = gable_sve_fp64_vector_chain,
     .chain = gable_sve_fp64_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "fmad",
     .operations = many * 2 * 8,
     .instructions = many * 2,
     .symbol = "gable_sve_fp32_vector_fma",
     .run = gable_sve_fp32_vector_fma,
     .chain = gable_sve_fp32_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_fma",
     .instruction = "fmul+fadd",
     .operations = many * 2 * 8,
     .instructions = many * 2 * 2,
     .symbol = "gable_sve_fp32_vector_no_fma",
     .run = gable_sve_fp32_vector_no_fma},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_ilp",
     .instruction = "fmad",
     .operations = chain_length * 8,
     .instructions = chain_length,
     .symbol = "gable_sve_fp32_vector_chain",
     .run = gable_sve_fp32_vector_chain,
     .chain = gable_sve_fp32_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp16",
     .accumulate = "fp16",
     .instruction = "fmad",
     .operations = many * 2 * 16,
     .instructions = many * 2,
     .symbol = "gable_sve_fp16_vector_fma",
     .run = gable_sve_fp16_vector_fma},
    {.unit = "vector",
     .dtype = "int8",
     .accumulate = "int32",
     .instruction = "sdot",
     .operations = many * 2 * 32,
     .instructions = many * 2,
     .symbol = "gable_sve_int8_vector",
     .run = gable_sve_int8_vector},
    {.unit = "exp",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "fmad+fmla+fmsb+fmls+fadd+lsl+add",
     .operations = 4 * 2 * 4,
     .instructions = 4 * 2 * 12,
     .symbol = "gable_sve_fp32_exp",
     .run = gable_sve_fp32_exp},
    {.unit = "exp",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "fmad+fmla+fmsb+fmls+fadd+lsl+add",
     .operations = 4 * 2 * 2,
     .instructions = 4 * 2 * 17,
     .symbol = "gable_sve_fp64_exp",
     .run = gable_sve_fp64_exp},
};

const StreamKernel stream[] = {
    {.access = "read", .stores = "none", .symbol = "gable_sve_read", .run = gable_sve_read},
    {.access = "write", .stores = "ordinary", .symbol = "gable_sve_write", .run = gable_sve_write},
    {.access = "copy", .stores = "ordinary", .symbol = "gable_sve_copy", .run = gable_sve_copy},
    {.access = "update", .stores = "ordinary", .symbol = "gable_sve_update", .run = gable_sve_update},
    {.access = "triad", .stores = "ordinary", .symbol = "gable_sve_triad", .run = gable_sve_triad},
    {.access = "write", .stores = "non_temporal", .symbol = "gable_sve_write_nt", .run = gable_sve_write_nt},
    {.access = "copy", .stores = "non_temporal", .symbol = "gable_sve_copy_nt", .run = gable_sve_copy_nt},
    {.access = "triad", .stores = "non_temporal", .symbol = "gable_sve_triad_nt", .run = gable_sve_triad_nt},
};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_sve() {
  using namespace gable::isa;
  static const Scaled scaled(per_128_bits);
  static const IsaTable table{.name = "sve",
                              .vector_bits = static_cast<int>(svcntb() * 8),
                              .compute = scaled.compute,
                              .compute_count = sizeof(per_128_bits) / sizeof(*per_128_bits),
                              .stream = stream,
                              .stream_count = sizeof(stream) / sizeof(*stream)};
  return &table;
}
