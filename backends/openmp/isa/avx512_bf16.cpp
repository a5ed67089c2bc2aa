// AVX512_BF16 (Cooper Lake, Sapphire Rapids, Zen 4 and later): bf16 dot products into fp32, and native rounding to
// bf16.
#include <immintrin.h>

#include "backends/openmp/isa/rows.hpp"
#include "backends/openmp/isa/vector.hpp"

namespace gable::isa {
namespace {

/// Two products per lane. 64 flop.
struct Bf16Dot : Vector<float, 64> {
  static constexpr const char* dtype = "bf16";
  static constexpr double operations = 64;
  static __m512bh factor(const char* p) { return (__m512bh)_mm512_load_si512(p); }
  static __m512bh negative(__m512bh b) {
    return (__m512bh)_mm512_xor_si512((__m512i)b, _mm512_set1_epi32(static_cast<int>(0x80008000U)));
  }
  static Reg product(Reg x, __m512bh a, __m512bh b) { return _mm512_dpbf16_ps(x, a, b); }
};

/// Sixteen elements.
struct Bf16Conversion : Conversion<32> {
  static constexpr const char* dtype = "bf16";
  Reg operator()(Reg x) const {
    auto wide = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)x), 16));
    opaque(wide);
    return (Reg)_mm512_cvtneps_pbh(wide);
  }
};

constexpr ComputeKernel compute[] = {
    signed_product_row<Bf16Dot, 20>("vdpbf16ps"),
    convert_row<Bf16Conversion, 4>("vpmovzxwd+vpslld+vcvtneps2bf16", 3),
};

constexpr IsaTable table{"avx512_bf16", 512, compute, {}};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512_bf16() { return &gable::isa::table; }
