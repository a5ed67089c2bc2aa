// AVX512_BF16 (Cooper Lake, Sapphire Rapids, Zen 4 and later): bf16 dot products into fp32, and native rounding to
// bf16.
#include "backends/openmp/isa/x86_avx512.hpp"

#include "backends/openmp/isa/loops.hpp"

namespace gable::isa {
namespace {

/// x += two products per lane, with b and -b in turn, so that the sums stay bounded. 64 flop per instruction. The
/// compiler does not know the instruction's arithmetic: it can neither merge nor cancel the two.
template <int rounds, std::size_t... I>
[[gnu::always_inline]] inline void dot_chains(std::uint64_t iterations, const void* in, void* sink, Indices<I...>) {
  const __m512i bits = Int32::load(addend_at(in, 0, 64));
  const __m512i signs = _mm512_set1_epi32(static_cast<int>(0x80008000U));
  const auto a = (__m512bh)Int32::load(start_at(in, 0, 64));
  const auto plus = (__m512bh)bits, minus = (__m512bh)_mm512_xor_si512(bits, signs);
  alternating_chains<Fp32, rounds>(
      iterations, sink, [&](__m512 & x) __attribute__((always_inline)) { x = _mm512_dpbf16_ps(x, a, plus); },
      [&](__m512 & x) __attribute__((always_inline)) { x = _mm512_dpbf16_ps(x, a, minus); },
      Fp32::load(start_at(in, I + 1, 64))...);
}

/// bf16 -> fp32 -> bf16, sixteen elements.
[[gnu::always_inline]] inline void convert_bf16(std::uint64_t iterations, const void* in, void* sink) {
  auto round_trip = [](const __m256i& x) __attribute__((always_inline)) {
    auto wide = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
    opaque(wide);
    return (__m256i)_mm512_cvtneps_pbh(wide);
  };
  map<Half, 4>(iterations, sink, round_trip, Half::load(start_at(in, 0, 32)), Half::load(start_at(in, 1, 32)),
               Half::load(start_at(in, 2, 32)), Half::load(start_at(in, 3, 32)));
}

}  // namespace

extern "C" {
void gable_avx512_bf16_vector(std::uint64_t n, const void* in, void* sink) { dot_chains<1>(n, in, sink, UpTo<20>{}); }
void gable_avx512_bf16_convert(std::uint64_t n, const void* in, void* sink) { convert_bf16(n, in, sink); }
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "bf16",
     .accumulate = "fp32",
     .instruction = "vdpbf16ps",
     .operations = 20 * 2 * 64,
     .instructions = 20 * 2,
     .symbol = "gable_avx512_bf16_vector",
     .run = gable_avx512_bf16_vector},
    {.unit = "convert",
     .dtype = "bf16",
     .accumulate = "fp32",
     .instruction = "vpmovzxwd+vpslld+vcvtneps2bf16",
     .operations = 4 * 4 * 32,
     .instructions = 4 * 4 * 3,
     .symbol = "gable_avx512_bf16_convert",
     .run = gable_avx512_bf16_convert},
};

const IsaTable table{
    .name = "avx512_bf16", .vector_bits = 512, .compute = compute, .compute_count = sizeof(compute) / sizeof(*compute)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512_bf16() { return &gable::isa::table; }
