#pragma once
#include "operators/device/function.hpp"
#include "operators/device/isa/portable.hpp"

/// AArch64: registers of 16 bytes. The compiler's vector extension gives the rest in as few instructions.
#if defined(__aarch64__) && !defined(GABLE_ARRAY_LANES)
#include <arm_neon.h>

namespace gable::device::isa {

template <>
struct Register<float, 4> : PortableRegister<float, 4> {
  static GABLE_FUNCTION Vector root(Vector x) { return Vector(vsqrtq_f32(float32x4_t(x))); }
};
template <>
struct Register<double, 2> : PortableRegister<double, 2> {
  static GABLE_FUNCTION Vector root(Vector x) { return Vector(vsqrtq_f64(float64x2_t(x))); }
};

template <>
struct Halves<4> : PortableHalves<4> {
  static GABLE_FUNCTION Twice minus_saturated(Twice x, Twice y) {
    return Twice(vqsubq_u16(uint16x8_t(x), uint16x8_t(y)));
  }
  static GABLE_FUNCTION bool any_nan(Floats x, Floats y) {
    const uint32x4_t numbers = vandq_u32(vceqq_f32(float32x4_t(x), float32x4_t(x)),  // NOLINT: not for NaN
                                         vceqq_f32(float32x4_t(y), float32x4_t(y)));
    return vminvq_u32(numbers) == 0;
  }
};

template <>
struct Fp16Vector<4> : PortableFp16<4> {
  static GABLE_FUNCTION Floats load(const Fp16* source) {
    float16x4_t halves;
    std::memcpy(&halves, source, sizeof halves);
    return Floats(vcvt_f32_f16(halves));
  }
  static GABLE_FUNCTION void store(Fp16* target, Floats x) {
    const float16x4_t halves = vcvt_f16_f32(float32x4_t(x));
    std::memcpy(target, &halves, sizeof halves);
  }
};

template <>
struct Scalar<Fp16> {
  static GABLE_FUNCTION float widen(Fp16 x) { return static_cast<float>(std::bit_cast<__fp16>(x.bits)); }
  static GABLE_FUNCTION Fp16 narrow(float x) { return {std::bit_cast<std::uint16_t>(static_cast<__fp16>(x))}; }
};

}  // namespace gable::device::isa
#endif
