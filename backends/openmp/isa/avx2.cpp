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
    {"vector", "fp64", "fp64", "", "vfmadd213pd", many * 2 * 8, many * 2, "gable_avx2_fp64_vector_fma",
     gable_avx2_fp64_vector_fma, gable_avx2_fp64_vector_chain, chain_length},
    {"vector", "fp64", "fp64", "no_fma", "vmulpd+vaddpd", more * 2 * 8, more * 2 * 2, "gable_avx2_fp64_vector_no_fma",
     gable_avx2_fp64_vector_no_fma, nullptr, 0},
    {"vector", "fp64", "fp64", "no_ilp", "vfmadd213pd", chain_length * 8, chain_length, "gable_avx2_fp64_vector_chain",
     gable_avx2_fp64_vector_chain, gable_avx2_fp64_vector_chain, chain_length},
    {"vector", "fp64", "fp64", "fma_add", "vfmadd213pd+vsubpd", 24 * 8 + 24 * 4, 48, "gable_avx2_fp64_vector_fma_add",
     gable_avx2_fp64_vector_fma_add, nullptr, 0},
    {"vector", "fp32", "fp32", "", "vfmadd213ps", many * 2 * 16, many * 2, "gable_avx2_fp32_vector_fma",
     gable_avx2_fp32_vector_fma, gable_avx2_fp32_vector_chain, chain_length},
    {"vector", "fp32", "fp32", "no_fma", "vmulps+vaddps", more * 2 * 16, more * 2 * 2, "gable_avx2_fp32_vector_no_fma",
     gable_avx2_fp32_vector_no_fma, nullptr, 0},
    {"vector", "fp32", "fp32", "no_ilp", "vfmadd213ps", chain_length * 16, chain_length, "gable_avx2_fp32_vector_chain",
     gable_avx2_fp32_vector_chain, gable_avx2_fp32_vector_chain, chain_length},
    {"vector", "fp32", "fp32", "fma_add", "vfmadd213ps+vsubps", 24 * 16 + 24 * 8, 48, "gable_avx2_fp32_vector_fma_add",
     gable_avx2_fp32_vector_fma_add, nullptr, 0},
    {"scalar", "fp64", "fp64", "", "vfmadd213sd", many * 2 * 2, many * 2, "gable_avx2_fp64_scalar_fma",
     gable_avx2_fp64_scalar_fma, gable_avx2_fp64_scalar_chain, chain_length},
    {"scalar", "fp32", "fp32", "", "vfmadd213ss", many * 2 * 2, many * 2, "gable_avx2_fp32_scalar_fma",
     gable_avx2_fp32_scalar_fma, gable_avx2_fp32_scalar_chain, chain_length},
    {"vector", "int32", "int32", "", "vpmulld+vpaddd", more * 2 * 16, more * 2 * 2, "gable_avx2_int32_vector",
     gable_avx2_int32_vector, nullptr, 0},
    {"vector", "int8", "int32", "", "vpmaddubsw+vpmaddwd+vpaddd", 8 * 2 * 64, 8 * 2 * 3, "gable_avx2_int8_vector",
     gable_avx2_int8_vector, nullptr, 0},
    {"exp", "fp32", "fp32", "", "vfmadd213ps+vfnmadd213ps+vaddps+vpslld+vpaddd", 4 * 2 * 8, 4 * 2 * 12,
     "gable_avx2_fp32_exp", gable_avx2_fp32_exp, nullptr, 0},
    {"exp", "fp64", "fp64", "", "vfmadd213pd+vfnmadd213pd+vaddpd+vpsllq+vpaddq", 4 * 2 * 4, 4 * 2 * 17,
     "gable_avx2_fp64_exp", gable_avx2_fp64_exp, nullptr, 0},
    {"convert", "fp16", "fp32", "", "vcvtph2ps+vcvtps2ph", 4 * 4 * 16, 4 * 4 * 2, "gable_avx2_fp16_convert",
     gable_avx2_fp16_convert, nullptr, 0},
    {"convert", "bf16", "fp32", "", "vpslld+vpand+vpaddd+vpsrld+vpblendw", 4 * 2 * 32, 4 * 2 * 6,
     "gable_avx2_bf16_convert", gable_avx2_bf16_convert, nullptr, 0},
};

const StreamKernel stream[] = {
    {"read", "none", "gable_avx2_read", gable_avx2_read},
    {"write", "ordinary", "gable_avx2_write", gable_avx2_write},
    {"copy", "ordinary", "gable_avx2_copy", gable_avx2_copy},
    {"update", "ordinary", "gable_avx2_update", gable_avx2_update},
    {"triad", "ordinary", "gable_avx2_triad", gable_avx2_triad},
    {"write", "non_temporal", "gable_avx2_write_nt", gable_avx2_write_nt},
    {"copy", "non_temporal", "gable_avx2_copy_nt", gable_avx2_copy_nt},
    {"triad", "non_temporal", "gable_avx2_triad_nt", gable_avx2_triad_nt},
};

const IsaTable table{
    "avx2", 256, compute, sizeof(compute) / sizeof(*compute), stream, sizeof(stream) / sizeof(*stream)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx2() { return &gable::isa::table; }
