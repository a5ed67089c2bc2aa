// AVX2 with FMA and F16C (Haswell, Zen and later).
#include "backends/openmp/isa/x86_avx2.hpp"

#include "backends/openmp/isa/exp.hpp"
#include "backends/openmp/isa/streams.hpp"

namespace gable::isa {
namespace {

/// Two FMA pipes of 4 cycles (5 on Haswell, Broadwell and Zen 1) need 8 to 10 chains; c and 12 chains fit 16 registers.
using Many = UpTo<12>;
constexpr double many = 12;
/// Separate multiplication and addition: Zen starts four a cycle, three cycles each.
using More = UpTo<14>;
constexpr double more = 14;

/// int8 without a dot-product instruction: unsigned times signed in pairs (vpmaddubsw, saturating), pairs of those
/// (vpmaddwd with ones), added to int32 sums. 64 operations per three instructions. Volatile assembly,
/// because as intrinsics the product would be hoisted and the sums reassociated.
template <std::size_t... I>
[[gnu::always_inline]] inline void int8_chains(std::uint64_t iterations, const void* in, void* sink, Indices<I...>) {
  const __m256i ones = _mm256_set1_epi16(1), b = Int32::load(addend_at(in, 0, 32));
  const __m256i a = Int32::load(addend_at(in, 1, 32));
  chains<Int32, 2>(
      iterations, sink,
      [&](__m256i & x) __attribute__((always_inline)) {
        __m256i products;
        asm volatile("vpmaddubsw %3, %2, %1\n\tvpmaddwd %4, %1, %1\n\tvpaddd %1, %0, %0"
                     : "+v"(x), "=&v"(products)
                     : "v"(a), "v"(b), "v"(ones));
      },
      Int32::load(start_at(in, I, 32))...);
}

/// fp16 -> fp32 -> fp16, eight elements. The compiler knows neither conversion's arithmetic and may drop nothing.
[[gnu::always_inline]] inline void convert_fp16(std::uint64_t iterations, const void* in, void* sink) {
  auto round_trip = [](const __m128i& x) __attribute__((always_inline)) {
    __m256 wide = _mm256_cvtph_ps(x);
    opaque(wide);
    return _mm256_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  };
  map<Half, 4>(iterations, sink, round_trip, Half::load(start_at(in, 0, 16)), Half::load(start_at(in, 1, 16)),
               Half::load(start_at(in, 2, 16)), Half::load(start_at(in, 3, 16)));
}

/// bf16 -> fp32 -> bf16, sixteen elements: the even ones by a shift, the odd ones by a mask; back by adding half a
/// unit, a shift and a blend. To nearest, half-way cases up, no care for NaN. 6 instructions.
[[gnu::always_inline]] inline void convert_bf16(std::uint64_t iterations, const void* in, void* sink) {
  __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000U)), half = _mm256_set1_epi32(0x8000);
  opaque(upper), opaque(half);
  auto round_trip = [&](const __m256i& x) __attribute__((always_inline)) {
    __m256i even = _mm256_slli_epi32(x, 16), odd = _mm256_and_si256(x, upper);
    opaque(even), opaque(odd);
    even = _mm256_srli_epi32(_mm256_add_epi32(even, half), 16);
    return _mm256_blend_epi16(even, _mm256_add_epi32(odd, half), 0xaa);
  };
  map<Int32, 4>(iterations, sink, round_trip, Int32::load(start_at(in, 0, 32)), Int32::load(start_at(in, 1, 32)));
}

}  // namespace

extern "C" {
void gable_avx2_fp64_vector_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp64, 2>(n, in, sink, Many{});
}
void gable_avx2_fp64_vector_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp64, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_avx2_fp64_vector_no_fma(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp64, 2>(n, in, sink, More{});
}
void gable_avx2_fp64_vector_fma_add(std::uint64_t n, const void* in, void* sink) {
  fma_add_chains<Fp64, 3, 4>(n, in, sink, UpTo<8>{}, UpTo<6>{});
}
void gable_avx2_fp32_vector_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp32, 2>(n, in, sink, Many{});
}
void gable_avx2_fp32_vector_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp32, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_avx2_fp32_vector_no_fma(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp32, 2>(n, in, sink, More{});
}
void gable_avx2_fp32_vector_fma_add(std::uint64_t n, const void* in, void* sink) {
  fma_add_chains<Fp32, 3, 4>(n, in, sink, UpTo<8>{}, UpTo<6>{});
}
void gable_avx2_fp64_scalar_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Scalar<double>, 2>(n, in, sink, Many{});
}
void gable_avx2_fp64_scalar_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Scalar<double>, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_avx2_fp32_scalar_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Scalar<float>, 2>(n, in, sink, Many{});
}
void gable_avx2_fp32_scalar_chain(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Scalar<float>, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_avx2_int32_vector(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Int32, 2>(n, in, sink, More{});
}
void gable_avx2_int8_vector(std::uint64_t n, const void* in, void* sink) { int8_chains(n, in, sink, UpTo<8>{}); }
void gable_avx2_fp32_exp(std::uint64_t n, const void* in, void* sink) { exp_fp32<Fp32>(n, in, sink); }
void gable_avx2_fp64_exp(std::uint64_t n, const void* in, void* sink) { exp_fp64<Fp64>(n, in, sink); }
void gable_avx2_fp16_convert(std::uint64_t n, const void* in, void* sink) { convert_fp16(n, in, sink); }
void gable_avx2_bf16_convert(std::uint64_t n, const void* in, void* sink) { convert_bf16(n, in, sink); }

void gable_avx2_read(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void* sink) {
  read_stream<Fp64>(a, n, passes, sink);
}
void gable_avx2_write(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  write_stream<Fp64>(a, n, passes, [](double* p, __m256d x) { _mm256_store_pd(p, x); });
}
void gable_avx2_copy(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  copy_stream<Fp64>(a, b, n, passes, [](double* p, __m256d x) { _mm256_store_pd(p, x); });
}
void gable_avx2_update(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  update_stream<Fp64>(a, n, passes, [](double* p, __m256d x) { _mm256_store_pd(p, x); });
}
void gable_avx2_triad(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  triad_stream<Fp64>(a, b, c, n, passes, [](double* p, __m256d x) { _mm256_store_pd(p, x); });
}
void gable_avx2_write_nt(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  write_stream<Fp64>(a, n, passes, [](double* p, __m256d x) { _mm256_stream_pd(p, x); });
  _mm_sfence();
}
void gable_avx2_copy_nt(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  copy_stream<Fp64>(a, b, n, passes, [](double* p, __m256d x) { _mm256_stream_pd(p, x); });
  _mm_sfence();
}
void gable_avx2_triad_nt(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  triad_stream<Fp64>(a, b, c, n, passes, [](double* p, __m256d x) { _mm256_stream_pd(p, x); });
  _mm_sfence();
}
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "vfmadd213pd",
     .operations = many * 2 * 8,
     .instructions = many * 2,
     .symbol = "gable_avx2_fp64_vector_fma",
     .run = gable_avx2_fp64_vector_fma,
     .chain = gable_avx2_fp64_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_fma",
     .instruction = "vmulpd+vaddpd",
     .operations = more * 2 * 8,
     .instructions = more * 2 * 2,
     .symbol = "gable_avx2_fp64_vector_no_fma",
     .run = gable_avx2_fp64_vector_no_fma},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_ilp",
     .instruction = "vfmadd213pd",
     .operations = chain_length * 8,
     .instructions = chain_length,
     .symbol = "gable_avx2_fp64_vector_chain",
     .run = gable_avx2_fp64_vector_chain,
     .chain = gable_avx2_fp64_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "fma_add",
     .instruction = "vfmadd213pd+vsubpd",
     .operations = 24 * 8 + 24 * 4,
     .instructions = 48,
     .symbol = "gable_avx2_fp64_vector_fma_add",
     .run = gable_avx2_fp64_vector_fma_add},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "vfmadd213ps",
     .operations = many * 2 * 16,
     .instructions = many * 2,
     .symbol = "gable_avx2_fp32_vector_fma",
     .run = gable_avx2_fp32_vector_fma,
     .chain = gable_avx2_fp32_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_fma",
     .instruction = "vmulps+vaddps",
     .operations = more * 2 * 16,
     .instructions = more * 2 * 2,
     .symbol = "gable_avx2_fp32_vector_no_fma",
     .run = gable_avx2_fp32_vector_no_fma},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_ilp",
     .instruction = "vfmadd213ps",
     .operations = chain_length * 16,
     .instructions = chain_length,
     .symbol = "gable_avx2_fp32_vector_chain",
     .run = gable_avx2_fp32_vector_chain,
     .chain = gable_avx2_fp32_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "fma_add",
     .instruction = "vfmadd213ps+vsubps",
     .operations = 24 * 16 + 24 * 8,
     .instructions = 48,
     .symbol = "gable_avx2_fp32_vector_fma_add",
     .run = gable_avx2_fp32_vector_fma_add},
    {.unit = "scalar",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "vfmadd213sd",
     .operations = many * 2 * 2,
     .instructions = many * 2,
     .symbol = "gable_avx2_fp64_scalar_fma",
     .run = gable_avx2_fp64_scalar_fma,
     .chain = gable_avx2_fp64_scalar_chain,
     .chain_length = chain_length},
    {.unit = "scalar",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "vfmadd213ss",
     .operations = many * 2 * 2,
     .instructions = many * 2,
     .symbol = "gable_avx2_fp32_scalar_fma",
     .run = gable_avx2_fp32_scalar_fma,
     .chain = gable_avx2_fp32_scalar_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "int32",
     .accumulate = "int32",
     .instruction = "vpmulld+vpaddd",
     .operations = more * 2 * 16,
     .instructions = more * 2 * 2,
     .symbol = "gable_avx2_int32_vector",
     .run = gable_avx2_int32_vector},
    {.unit = "vector",
     .dtype = "int8",
     .accumulate = "int32",
     .instruction = "vpmaddubsw+vpmaddwd+vpaddd",
     .operations = 8 * 2 * 64,
     .instructions = 8 * 2 * 3,
     .symbol = "gable_avx2_int8_vector",
     .run = gable_avx2_int8_vector},
    {.unit = "exp",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "vfmadd213ps+vfnmadd213ps+vaddps+vpslld+vpaddd",
     .operations = 4 * 2 * 8,
     .instructions = 4 * 2 * 12,
     .symbol = "gable_avx2_fp32_exp",
     .run = gable_avx2_fp32_exp},
    {.unit = "exp",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "vfmadd213pd+vfnmadd213pd+vaddpd+vpsllq+vpaddq",
     .operations = 4 * 2 * 4,
     .instructions = 4 * 2 * 17,
     .symbol = "gable_avx2_fp64_exp",
     .run = gable_avx2_fp64_exp},
    {.unit = "convert",
     .dtype = "fp16",
     .accumulate = "fp32",
     .instruction = "vcvtph2ps+vcvtps2ph",
     .operations = 4 * 4 * 16,
     .instructions = 4 * 4 * 2,
     .symbol = "gable_avx2_fp16_convert",
     .run = gable_avx2_fp16_convert},
    {.unit = "convert",
     .dtype = "bf16",
     .accumulate = "fp32",
     .instruction = "vpslld+vpand+vpaddd+vpsrld+vpblendw",
     .operations = 4 * 2 * 32,
     .instructions = 4 * 2 * 6,
     .symbol = "gable_avx2_bf16_convert",
     .run = gable_avx2_bf16_convert},
};

const StreamKernel stream[] = {
    {.access = "read", .stores = "none", .symbol = "gable_avx2_read", .run = gable_avx2_read},
    {.access = "write", .stores = "ordinary", .symbol = "gable_avx2_write", .run = gable_avx2_write},
    {.access = "copy", .stores = "ordinary", .symbol = "gable_avx2_copy", .run = gable_avx2_copy},
    {.access = "update", .stores = "ordinary", .symbol = "gable_avx2_update", .run = gable_avx2_update},
    {.access = "triad", .stores = "ordinary", .symbol = "gable_avx2_triad", .run = gable_avx2_triad},
    {.access = "write", .stores = "non_temporal", .symbol = "gable_avx2_write_nt", .run = gable_avx2_write_nt},
    {.access = "copy", .stores = "non_temporal", .symbol = "gable_avx2_copy_nt", .run = gable_avx2_copy_nt},
    {.access = "triad", .stores = "non_temporal", .symbol = "gable_avx2_triad_nt", .run = gable_avx2_triad_nt},
};

const IsaTable table{.name = "avx2",
                     .vector_bits = 256,
                     .compute = compute,
                     .compute_count = sizeof(compute) / sizeof(*compute),
                     .stream = stream,
                     .stream_count = sizeof(stream) / sizeof(*stream)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx2() { return &gable::isa::table; }
