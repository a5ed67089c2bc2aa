// AVX512_FP16 (Sapphire Rapids and later): fp16 arithmetic that accumulates in fp16.
#include <immintrin.h>

#include "backends/openmp/isa/rows.hpp"

namespace gable::isa {
namespace {

struct Fp16 {
  using Reg = __m512h;
  static constexpr const char *unit = "vector", *dtype = "fp16", *accumulate = dtype;
  static constexpr double operations = 64;
  static constexpr std::size_t bytes() { return 64; }
  static Reg load(const void* p) { return _mm512_load_ph(p); }
  static Reg add(Reg a, Reg b) { return _mm512_add_ph(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_ph(a, b, c); }
  static void store(void* p, Reg x) { _mm512_store_ph(p, x); }
};

constexpr std::size_t many = 20;

constexpr ComputeKernel compute[] = {row<Fp16>("", "vfmadd213ph", 2 * many, 1, fma_chains<Fp16, 2, many>)};

constexpr IsaTable table{"avx512_fp16", 512, compute, {}};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512_fp16() { return &gable::isa::table; }
