#pragma once
#include "operators/device/function.hpp"
#include "operators/device/isa/x86_sse4.hpp"

/// F16C: conversions between fp16 and fp32 in registers of 16 and 32 bytes.
#if defined(__F16C__) && !defined(GABLE_ARRAY_LANES)
#include <immintrin.h>

namespace gable::device::isa {

template <>
struct Fp16Vector<4> : PortableFp16<4> {
  static GABLE_FUNCTION Floats load(const Fp16* source) {
    return Floats(_mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(source))));
  }
  static GABLE_FUNCTION void store(Fp16* target, Floats x) {
    const __m128i halves = _mm_cvtps_ph(__m128(x), _MM_FROUND_TO_NEAREST_INT);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(target), halves);
  }
};
template <>
struct Fp16Vector<8> : PortableFp16<8> {
  static GABLE_FUNCTION Floats load(const Fp16* source) {
    return Floats(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source))));
  }
  static GABLE_FUNCTION void store(Fp16* target, Floats x) {
    __m128i halves = _mm256_cvtps_ph(__m256(x), _MM_FROUND_TO_NEAREST_INT);
    asm("" : "+x"(halves));  // through a register: Zen 3 takes twice as long to convert into memory
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target), halves);
  }
};

template <>
struct Scalar<Fp16> {
  static GABLE_FUNCTION float widen(Fp16 x) { return _cvtsh_ss(x.bits); }
  static GABLE_FUNCTION Fp16 narrow(float x) {
    return {static_cast<std::uint16_t>(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT))};
  }
};

}  // namespace gable::device::isa
#endif
