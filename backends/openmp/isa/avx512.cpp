// AVX-512 F, BW, DQ and VL (Skylake-SP, Zen 4 and later). The scalar kernels are AVX2's.
#include "backends/openmp/isa/x86_avx512.hpp"

#include "backends/openmp/isa/exp.hpp"
#include "backends/openmp/isa/streams.hpp"

namespace gable::isa {
namespace {

/// Two FMA pipes of 4 cycles need 8 chains (Zen 4 fewer: it splits each instruction); 20 leave slack and fit 32
/// registers.
using Many = UpTo<20>;
constexpr double many = 20;

/// int8 without a dot-product instruction: unsigned times signed in pairs (vpmaddubsw, saturating), pairs of those
/// (vpmaddwd with ones), added to int32 sums. 128 operations per three instructions. Volatile assembly,
/// because as intrinsics the product would be hoisted and the sums reassociated.
template <std::size_t... I>
[[gnu::always_inline]] inline void int8_chains(std::uint64_t iterations, const void* in, void* sink, Indices<I...>) {
  const __m512i ones = _mm512_set1_epi16(1), b = Int32::load(addend_at(in, 0, 64));
  const __m512i a = Int32::load(addend_at(in, 1, 64));
  chains<Int32, 2>(
      iterations, sink,
      [&](__m512i & x) __attribute__((always_inline)) {
        __m512i products;
        asm volatile("vpmaddubsw %3, %2, %1\n\tvpmaddwd %4, %1, %1\n\tvpaddd %1, %0, %0"
                     : "+v"(x), "=&v"(products)
                     : "v"(a), "v"(b), "v"(ones));
      },
      Int32::load(start_at(in, I, 64))...);
}

/// fp16 -> fp32 -> fp16, sixteen elements. The compiler knows neither conversion's arithmetic and may drop nothing.
[[gnu::always_inline]] inline void convert_fp16(std::uint64_t iterations, const void* in, void* sink) {
  auto round_trip = [](const __m256i& x) __attribute__((always_inline)) {
    __m512 wide = _mm512_cvtph_ps(x);
    opaque(wide);
    return _mm512_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  };
  map<Half, 4>(iterations, sink, round_trip, Half::load(start_at(in, 0, 32)), Half::load(start_at(in, 1, 32)),
               Half::load(start_at(in, 2, 32)), Half::load(start_at(in, 3, 32)));
}

}  // namespace

extern "C" {
void gable_avx512_fp64_vector_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp64, 2>(n, in, sink, Many{});
}
void gable_avx512_fp64_vector_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp64, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_avx512_fp64_vector_no_fma(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp64, 2>(n, in, sink, Many{});
}
void gable_avx512_fp64_vector_fma_add(std::uint64_t n, const void* in, void* sink) {
  fma_add_chains<Fp64, 2, 2>(n, in, sink, UpTo<12>{}, UpTo<12>{});
}
void gable_avx512_fp32_vector_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp32, 2>(n, in, sink, Many{});
}
void gable_avx512_fp32_vector_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp32, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_avx512_fp32_vector_no_fma(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp32, 2>(n, in, sink, Many{});
}
void gable_avx512_fp32_vector_fma_add(std::uint64_t n, const void* in, void* sink) {
  fma_add_chains<Fp32, 2, 2>(n, in, sink, UpTo<12>{}, UpTo<12>{});
}
void gable_avx512_int32_vector(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Int32, 2>(n, in, sink, Many{});
}
void gable_avx512_int8_vector(std::uint64_t n, const void* in, void* sink) { int8_chains(n, in, sink, UpTo<16>{}); }
void gable_avx512_fp32_exp(std::uint64_t n, const void* in, void* sink) { exp_fp32<Fp32>(n, in, sink); }
void gable_avx512_fp64_exp(std::uint64_t n, const void* in, void* sink) { exp_fp64<Fp64>(n, in, sink); }
void gable_avx512_fp16_convert(std::uint64_t n, const void* in, void* sink) { convert_fp16(n, in, sink); }

void gable_avx512_read(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void* sink) {
  read_stream<Fp64>(a, n, passes, sink);
}
void gable_avx512_write(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  write_stream<Fp64>(a, n, passes, [](double* p, __m512d x) { _mm512_store_pd(p, x); });
}
void gable_avx512_copy(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  copy_stream<Fp64>(a, b, n, passes, [](double* p, __m512d x) { _mm512_store_pd(p, x); });
}
void gable_avx512_update(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  update_stream<Fp64>(a, n, passes, [](double* p, __m512d x) { _mm512_store_pd(p, x); });
}
void gable_avx512_triad(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  triad_stream<Fp64>(a, b, c, n, passes, [](double* p, __m512d x) { _mm512_store_pd(p, x); });
}
void gable_avx512_write_nt(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  write_stream<Fp64>(a, n, passes, [](double* p, __m512d x) { _mm512_stream_pd(p, x); });
  _mm_sfence();
}
void gable_avx512_copy_nt(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  copy_stream<Fp64>(a, b, n, passes, [](double* p, __m512d x) { _mm512_stream_pd(p, x); });
  _mm_sfence();
}
void gable_avx512_triad_nt(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  triad_stream<Fp64>(a, b, c, n, passes, [](double* p, __m512d x) { _mm512_stream_pd(p, x); });
  _mm_sfence();
}
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "vfmadd213pd",
     .operations = many * 2 * 16,
     .instructions = many * 2,
     .symbol = "gable_avx512_fp64_vector_fma",
     .run = gable_avx512_fp64_vector_fma,
     .chain = gable_avx512_fp64_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_fma",
     .instruction = "vmulpd+vaddpd",
     .operations = many * 2 * 16,
     .instructions = many * 2 * 2,
     .symbol = "gable_avx512_fp64_vector_no_fma",
     .run = gable_avx512_fp64_vector_no_fma},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_ilp",
     .instruction = "vfmadd213pd",
     .operations = chain_length * 16,
     .instructions = chain_length,
     .symbol = "gable_avx512_fp64_vector_chain",
     .run = gable_avx512_fp64_vector_chain,
     .chain = gable_avx512_fp64_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "fma_add",
     .instruction = "vfmadd213pd+vsubpd",
     .operations = 24 * 16 + 24 * 8,
     .instructions = 48,
     .symbol = "gable_avx512_fp64_vector_fma_add",
     .run = gable_avx512_fp64_vector_fma_add},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "vfmadd213ps",
     .operations = many * 2 * 32,
     .instructions = many * 2,
     .symbol = "gable_avx512_fp32_vector_fma",
     .run = gable_avx512_fp32_vector_fma,
     .chain = gable_avx512_fp32_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_fma",
     .instruction = "vmulps+vaddps",
     .operations = many * 2 * 32,
     .instructions = many * 2 * 2,
     .symbol = "gable_avx512_fp32_vector_no_fma",
     .run = gable_avx512_fp32_vector_no_fma},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_ilp",
     .instruction = "vfmadd213ps",
     .operations = chain_length * 32,
     .instructions = chain_length,
     .symbol = "gable_avx512_fp32_vector_chain",
     .run = gable_avx512_fp32_vector_chain,
     .chain = gable_avx512_fp32_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "fma_add",
     .instruction = "vfmadd213ps+vsubps",
     .operations = 24 * 32 + 24 * 16,
     .instructions = 48,
     .symbol = "gable_avx512_fp32_vector_fma_add",
     .run = gable_avx512_fp32_vector_fma_add},
    {.unit = "vector",
     .dtype = "int32",
     .accumulate = "int32",
     .instruction = "vpmulld+vpaddd",
     .operations = many * 2 * 32,
     .instructions = many * 2 * 2,
     .symbol = "gable_avx512_int32_vector",
     .run = gable_avx512_int32_vector},
    {.unit = "vector",
     .dtype = "int8",
     .accumulate = "int32",
     .instruction = "vpmaddubsw+vpmaddwd+vpaddd",
     .operations = 16 * 2 * 128,
     .instructions = 16 * 2 * 3,
     .symbol = "gable_avx512_int8_vector",
     .run = gable_avx512_int8_vector},
    {.unit = "exp",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "vfmadd213ps+vfnmadd213ps+vaddps+vpslld+vpaddd",
     .operations = 4 * 2 * 16,
     .instructions = 4 * 2 * 12,
     .symbol = "gable_avx512_fp32_exp",
     .run = gable_avx512_fp32_exp},
    {.unit = "exp",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "vfmadd213pd+vfnmadd213pd+vaddpd+vpsllq+vpaddq",
     .operations = 4 * 2 * 8,
     .instructions = 4 * 2 * 17,
     .symbol = "gable_avx512_fp64_exp",
     .run = gable_avx512_fp64_exp},
    {.unit = "convert",
     .dtype = "fp16",
     .accumulate = "fp32",
     .instruction = "vcvtph2ps+vcvtps2ph",
     .operations = 4 * 4 * 32,
     .instructions = 4 * 4 * 2,
     .symbol = "gable_avx512_fp16_convert",
     .run = gable_avx512_fp16_convert},
};

const StreamKernel stream[] = {
    {.access = "read", .stores = "none", .symbol = "gable_avx512_read", .run = gable_avx512_read},
    {.access = "write", .stores = "ordinary", .symbol = "gable_avx512_write", .run = gable_avx512_write},
    {.access = "copy", .stores = "ordinary", .symbol = "gable_avx512_copy", .run = gable_avx512_copy},
    {.access = "update", .stores = "ordinary", .symbol = "gable_avx512_update", .run = gable_avx512_update},
    {.access = "triad", .stores = "ordinary", .symbol = "gable_avx512_triad", .run = gable_avx512_triad},
    {.access = "write", .stores = "non_temporal", .symbol = "gable_avx512_write_nt", .run = gable_avx512_write_nt},
    {.access = "copy", .stores = "non_temporal", .symbol = "gable_avx512_copy_nt", .run = gable_avx512_copy_nt},
    {.access = "triad", .stores = "non_temporal", .symbol = "gable_avx512_triad_nt", .run = gable_avx512_triad_nt},
};

const IsaTable table{.name = "avx512",
                     .vector_bits = 512,
                     .compute = compute,
                     .compute_count = sizeof(compute) / sizeof(*compute),
                     .stream = stream,
                     .stream_count = sizeof(stream) / sizeof(*stream)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512() { return &gable::isa::table; }
