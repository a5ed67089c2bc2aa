// AVX512_VNNI (Cascade Lake, Zen 4 and later): int8 dot products into int32.
#include <immintrin.h>

#include "backends/openmp/isa/rows.hpp"
#include "backends/openmp/isa/vector.hpp"

namespace gable::isa {
namespace {

/// Four products of unsigned a and signed b per lane.
struct Int8Dot : Int8<64> {
  static __m512i factor(const char* p) { return _mm512_load_si512(p); }
  static Reg product(Reg x, __m512i a, __m512i b) { return (Reg)_mm512_dpbusd_epi32((__m512i)x, a, b); }
};

constexpr ComputeKernel compute[] = {product_row<Int8Dot, 20>("vpdpbusd")};

constexpr IsaTable table{"avx512_vnni", 512, compute, {}};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512_vnni() { return &gable::isa::table; }
