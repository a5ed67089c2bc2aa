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
    {"vector", "fp64", "fp64", "", "vfmadd213pd", many * 2 * 16, many * 2, "gable_avx512_fp64_vector_fma",
     gable_avx512_fp64_vector_fma, gable_avx512_fp64_vector_chain, chain_length},
    {"vector", "fp64", "fp64", "no_fma", "vmulpd+vaddpd", many * 2 * 16, many * 2 * 2,
     "gable_avx512_fp64_vector_no_fma", gable_avx512_fp64_vector_no_fma, nullptr, 0},
    {"vector", "fp64", "fp64", "no_ilp", "vfmadd213pd", chain_length * 16, chain_length,
     "gable_avx512_fp64_vector_chain", gable_avx512_fp64_vector_chain, gable_avx512_fp64_vector_chain, chain_length},
    {"vector", "fp64", "fp64", "fma_add", "vfmadd213pd+vsubpd", 24 * 16 + 24 * 8, 48,
     "gable_avx512_fp64_vector_fma_add", gable_avx512_fp64_vector_fma_add, nullptr, 0},
    {"vector", "fp32", "fp32", "", "vfmadd213ps", many * 2 * 32, many * 2, "gable_avx512_fp32_vector_fma",
     gable_avx512_fp32_vector_fma, gable_avx512_fp32_vector_chain, chain_length},
    {"vector", "fp32", "fp32", "no_fma", "vmulps+vaddps", many * 2 * 32, many * 2 * 2,
     "gable_avx512_fp32_vector_no_fma", gable_avx512_fp32_vector_no_fma, nullptr, 0},
    {"vector", "fp32", "fp32", "no_ilp", "vfmadd213ps", chain_length * 32, chain_length,
     "gable_avx512_fp32_vector_chain", gable_avx512_fp32_vector_chain, gable_avx512_fp32_vector_chain, chain_length},
    {"vector", "fp32", "fp32", "fma_add", "vfmadd213ps+vsubps", 24 * 32 + 24 * 16, 48,
     "gable_avx512_fp32_vector_fma_add", gable_avx512_fp32_vector_fma_add, nullptr, 0},
    {"vector", "int32", "int32", "", "vpmulld+vpaddd", many * 2 * 32, many * 2 * 2, "gable_avx512_int32_vector",
     gable_avx512_int32_vector, nullptr, 0},
    {"vector", "int8", "int32", "", "vpmaddubsw+vpmaddwd+vpaddd", 16 * 2 * 128, 16 * 2 * 3, "gable_avx512_int8_vector",
     gable_avx512_int8_vector, nullptr, 0},
    {"exp", "fp32", "fp32", "", "vfmadd213ps+vfnmadd213ps+vaddps+vpslld+vpaddd", 4 * 2 * 16, 4 * 2 * 12,
     "gable_avx512_fp32_exp", gable_avx512_fp32_exp, nullptr, 0},
    {"exp", "fp64", "fp64", "", "vfmadd213pd+vfnmadd213pd+vaddpd+vpsllq+vpaddq", 4 * 2 * 8, 4 * 2 * 17,
     "gable_avx512_fp64_exp", gable_avx512_fp64_exp, nullptr, 0},
    {"convert", "fp16", "fp32", "", "vcvtph2ps+vcvtps2ph", 4 * 4 * 32, 4 * 4 * 2, "gable_avx512_fp16_convert",
     gable_avx512_fp16_convert, nullptr, 0},
};

const StreamKernel stream[] = {
    {"read", "none", "gable_avx512_read", gable_avx512_read},
    {"write", "ordinary", "gable_avx512_write", gable_avx512_write},
    {"copy", "ordinary", "gable_avx512_copy", gable_avx512_copy},
    {"update", "ordinary", "gable_avx512_update", gable_avx512_update},
    {"triad", "ordinary", "gable_avx512_triad", gable_avx512_triad},
    {"write", "non_temporal", "gable_avx512_write_nt", gable_avx512_write_nt},
    {"copy", "non_temporal", "gable_avx512_copy_nt", gable_avx512_copy_nt},
    {"triad", "non_temporal", "gable_avx512_triad_nt", gable_avx512_triad_nt},
};

const IsaTable table{
    "avx512", 512, compute, sizeof(compute) / sizeof(*compute), stream, sizeof(stream) / sizeof(*stream)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512() { return &gable::isa::table; }
