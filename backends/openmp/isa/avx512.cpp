// AVX-512 F, BW, DQ and VL (Skylake-SP, Zen 4 and later). The scalar kernels are AVX2's.
#include <immintrin.h>

#include "backends/openmp/isa/exp.hpp"
#include "backends/openmp/isa/rows.hpp"
#include "backends/openmp/isa/streams.hpp"
#include "backends/openmp/isa/vector.hpp"
#include "backends/openmp/isa/x86_int8.hpp"

namespace gable::isa {
namespace {

struct Fp64 : Vector<double, 64> {
  static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_pd(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return _mm512_fnmadd_pd(a, b, c); }
  static Reg exclusive_or(Reg a, Reg b) { return _mm512_xor_pd(a, b); }
};
struct Fp32 : Vector<float, 64> {
  static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return _mm512_fnmadd_ps(a, b, c); }
};
using Int32 = Vector<std::uint32_t, 64>;

struct NonTemporal : Fp64 {
  static void store(double* p, Reg x) { _mm512_stream_pd(p, x); }
  static void fence() { _mm_sfence(); }
};

/// Sixteen elements. The compiler knows neither conversion's arithmetic and may drop nothing.
struct Fp16Conversion : Conversion<32> {
  static constexpr const char* dtype = "fp16";
  Reg operator()(Reg x) const {
    __m512 wide = _mm512_cvtph_ps((__m256i)x);
    opaque(wide);
    return (Reg)_mm512_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
};

/// Two FMA pipes of 4 cycles need 8 chains (Zen 4 fewer: it splits each instruction); 20 leave slack and fit 32
/// registers.
constexpr std::size_t many = 20;

constexpr ComputeKernel compute[] = {
    fma_row<Fp64, many>("vfmadd213pd"),
    mul_add_row<Fp64, many>("no_fma", "vmulpd+vaddpd"),
    fma_no_ilp_row<Fp64>("vfmadd213pd"),
    fma_add_row<Fp64, 2, 12, 2, 12>("vfmadd213pd+vsubpd"),
    fma_row<Fp32, many>("vfmadd213ps"),
    mul_add_row<Fp32, many>("no_fma", "vmulps+vaddps"),
    fma_no_ilp_row<Fp32>("vfmadd213ps"),
    fma_add_row<Fp32, 2, 12, 2, 12>("vfmadd213ps+vsubps"),
    mul_add_row<Int32, many>("", "vpmulld+vpaddd"),
    int8_row<Int8<64>, 16>(),
    exp_fp32_row<Fp32>("vfmadd213ps+vfnmadd213ps+vaddps+vpslld+vpaddd"),
    exp_fp64_row<Fp64>("vfmadd213pd+vfnmadd213pd+vaddpd+vpsllq+vpaddq"),
    divide_row<Fp64>("vdivpd"),
    divide_row<Fp32>("vdivps"),
    convert_row<Fp16Conversion, 4>("vcvtph2ps+vcvtps2ph", 2),
};

constexpr IsaTable table{"avx512", 512, compute, stream_kernels<FixedLoops<Fp64>, FixedLoops<NonTemporal>>};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_avx512() { return &gable::isa::table; }
