// AVX2 with FMA and F16C (Haswell, Zen and later).
#include <immintrin.h>

#include "backends/openmp/isa/exp.hpp"
#include "backends/openmp/isa/rows.hpp"
#include "backends/openmp/isa/streams.hpp"
#include "backends/openmp/isa/vector.hpp"
#include "backends/openmp/isa/x86_int8.hpp"

namespace gable::isa {
namespace {

struct Fp64 : Vector<double, 32> {
  static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_pd(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return _mm256_fnmadd_pd(a, b, c); }
  static Reg exclusive_or(Reg a, Reg b) { return _mm256_xor_pd(a, b); }
};
struct Fp32 : Vector<float, 32> {
  static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return _mm256_fnmadd_ps(a, b, c); }
};
using Int32 = Vector<std::uint32_t, 32>;

struct NonTemporal : Fp64 {
  static void store(double* p, Reg x) { _mm256_stream_pd(p, x); }
  static void fence() { _mm_sfence(); }
};

/// Eight elements. The compiler knows neither conversion's arithmetic and may drop nothing.
struct Fp16Conversion : Conversion<16> {
  static constexpr const char* dtype = "fp16";
  Reg operator()(Reg x) const {
    __m256 wide = _mm256_cvtph_ps((__m128i)x);
    opaque(wide);
    return (Reg)_mm256_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
};

/// Sixteen elements: the even ones by a shift, the odd ones by a mask; back by adding half a unit, a shift and a blend.
/// To nearest, half-way cases up, no care for NaN. 6 instructions.
struct Bf16Conversion : Conversion<32> {
  static constexpr const char* dtype = "bf16";
  __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000U)), half = _mm256_set1_epi32(0x8000);
  Bf16Conversion() { opaque(upper), opaque(half); }
  Reg operator()(Reg x) const {
    __m256i even = _mm256_slli_epi32((__m256i)x, 16), odd = _mm256_and_si256((__m256i)x, upper);
    opaque(even), opaque(odd);
    even = _mm256_srli_epi32(_mm256_add_epi32(even, half), 16);
    return (Reg)_mm256_blend_epi16(even, _mm256_add_epi32(odd, half), 0xaa);
  }
};

/// Two FMA pipes of 4 cycles (5 on Haswell, Broadwell and Zen 1) need 8 to 10 chains; c and 12 chains fit 16 registers.
constexpr std::size_t many = 12;
/// Separate multiplication and addition: Zen starts four a cycle, three cycles each.
constexpr std::size_t more = 14;

constexpr ComputeKernel compute[] = {
    fma_row<Fp64, many>("vfmadd213pd"),
    mul_add_row<Fp64, more>("no_fma", "vmulpd+vaddpd"),
    fma_no_ilp_row<Fp64>("vfmadd213pd"),
    fma_add_row<Fp64, 3, 8, 4, 6>("vfmadd213pd+vsubpd"),
    fma_row<Fp32, many>("vfmadd213ps"),
    mul_add_row<Fp32, more>("no_fma", "vmulps+vaddps"),
    fma_no_ilp_row<Fp32>("vfmadd213ps"),
    fma_add_row<Fp32, 3, 8, 4, 6>("vfmadd213ps+vsubps"),
    fma_row<Scalar<double>, many>("vfmadd213sd"),
    fma_row<Scalar<float>, many>("vfmadd213ss"),
    mul_add_row<Int32, more>("", "vpmulld+vpaddd"),
    int8_row<Int8<32>, 8>(),
    exp_fp32_row<Fp32>("vfmadd213ps+vfnmadd213ps+vaddps+vpslld+vpaddd"),
    exp_fp64_row<Fp64>("vfmadd213pd+vfnmadd213pd+vaddpd+vpsllq+vpaddq"),
    divide_row<Fp64>("vdivpd"),
    divide_row<Fp32>("vdivps"),
    convert_row<Fp16Conversion, 4>("vcvtph2ps+vcvtps2ph", 2),
    convert_row<Bf16Conversion, 2>("vpslld+vpand+vpaddd+vpsrld+vpblendw", 6),
};

constexpr IsaTable table{"avx2", 256, compute, stream_kernels<FixedLoops<Fp64>, FixedLoops<NonTemporal>>};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx2() { return &gable::isa::table; }
