// AVX512_FP16 (Sapphire Rapids and later): fp16 arithmetic that accumulates in fp16.
#include "backends/openmp/isa/x86_avx512.hpp"

#include "backends/openmp/isa/loops.hpp"

namespace gable::isa {
namespace {

struct Fp16 {
  using Reg = __m512h;
  static constexpr std::size_t bytes() { return 64; }
  static Reg load(const void* p) { return _mm512_load_ph(p); }
  static Reg add(Reg a, Reg b) { return _mm512_add_ph(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_ph(a, b, c); }
  static void store(void* p, Reg x) { _mm512_storeu_ph(p, x); }
};

}  // namespace

extern "C" {
void gable_avx512_fp16_vector_fma(std::uint64_t n, const void* in, void* sink) {
  fma_chains<Fp16, 2>(n, in, sink, UpTo<20>{});
}
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "fp16",
     .accumulate = "fp16",
     .instruction = "vfmadd213ph",
     .operations = 20 * 2 * 64,
     .instructions = 20 * 2,
     .symbol = "gable_avx512_fp16_vector_fma",
     .run = gable_avx512_fp16_vector_fma},
};

const IsaTable table{
    .name = "avx512_fp16", .vector_bits = 512, .compute = compute, .compute_count = sizeof(compute) / sizeof(*compute)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512_fp16() { return &gable::isa::table; }
