// AVX512_VNNI (Cascade Lake, Zen 4 and later): int8 dot products into int32.
#include "backends/openmp/isa/x86_avx512.hpp"

#include "backends/openmp/isa/loops.hpp"

namespace gable::isa {
namespace {

/// x += four products of unsigned a and signed b per lane; sums wrap around. a and b are loop constants, but the
/// compiler does not know the instruction's arithmetic and cannot turn repetition into multiplication; two different
/// pairs keep the operands toggling.
template <int rounds, std::size_t... I>
[[gnu::always_inline]] inline void dot_chains(std::uint64_t iterations, const void* in, void* sink, Indices<I...>) {
  const __m512i a0 = Int32::load(addend_at(in, 0, 64)), b0 = Int32::load(addend_at(in, 1, 64));
  const __m512i a1 = Int32::load(addend_at(in, 2, 64)), b1 = Int32::load(addend_at(in, 3, 64));
  bool odd = false;
  chains<Int32, rounds>(
      iterations, sink,
      [&](__m512i & x) __attribute__((always_inline)) {
        x = odd ? _mm512_dpbusd_epi32(x, a1, b1) : _mm512_dpbusd_epi32(x, a0, b0);
        odd = !odd;
      },
      Int32::load(start_at(in, I, 64))...);
}

}  // namespace

extern "C" {
void gable_avx512_vnni_int8_vector(std::uint64_t n, const void* in, void* sink) {
  dot_chains<2>(n, in, sink, UpTo<20>{});
}
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "int8",
     .accumulate = "int32",
     .instruction = "vpdpbusd",
     .operations = 20 * 2 * 128,
     .instructions = 20 * 2,
     .symbol = "gable_avx512_vnni_int8_vector",
     .run = gable_avx512_vnni_int8_vector},
};

const IsaTable table{
    .name = "avx512_vnni", .vector_bits = 512, .compute = compute, .compute_count = sizeof(compute) / sizeof(*compute)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512_vnni() { return &gable::isa::table; }
