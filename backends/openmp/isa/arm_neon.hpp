#pragma once
// 16-byte register types of the neon files; see loops.hpp for the rules.
#include <arm_neon.h>

#include "backends/openmp/isa/loops.hpp"

namespace gable::isa {
namespace {

struct Fp64 {
  using Reg = float64x2_t;
  static constexpr std::size_t bytes() { return 16; }
  static Reg load(const void* p) { return vld1q_f64(static_cast<const double*>(p)); }
  static Reg set(double x) { return vdupq_n_f64(x); }
  static Reg add(Reg a, Reg b) { return vaddq_f64(a, b); }
  static Reg mul(Reg a, Reg b) { return vmulq_f64(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return vfmaq_f64(c, a, b); }
  static Reg fnma(Reg a, Reg b, Reg c) { return vfmsq_f64(c, a, b); }
  /// x 2^n, n in the low bits of `shifted`.
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    const auto n = vshlq_n_s64(vreinterpretq_s64_f64(shifted), mantissa);
    return vreinterpretq_f64_s64(vaddq_s64(vreinterpretq_s64_f64(x), n));
  }
  static void store(void* p, Reg x) { vst1q_f64(static_cast<double*>(p), x); }
};

struct Fp32 {
  using Reg = float32x4_t;
  static constexpr std::size_t bytes() { return 16; }
  static Reg load(const void* p) { return vld1q_f32(static_cast<const float*>(p)); }
  static Reg set(float x) { return vdupq_n_f32(x); }
  static Reg add(Reg a, Reg b) { return vaddq_f32(a, b); }
  static Reg mul(Reg a, Reg b) { return vmulq_f32(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return vfmaq_f32(c, a, b); }
  static Reg fnma(Reg a, Reg b, Reg c) { return vfmsq_f32(c, a, b); }
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    const auto n = vshlq_n_s32(vreinterpretq_s32_f32(shifted), mantissa);
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(x), n));
  }
  static void store(void* p, Reg x) { vst1q_f32(static_cast<float*>(p), x); }
};

/// x <- x + a b and x <- x - a b in turn: NEON's fmla overwrites the addend, so that x x + c would cost a move. Two
/// pairs a, b keep the multipliers' inputs toggling.
template <class V, int rounds, std::size_t... I>
[[gnu::always_inline]] inline void fmla_chains(std::uint64_t iterations, const void* in, void* sink, Indices<I...>) {
  using Reg = typename V::Reg;
  const Reg a0 = V::load(addend_at(in, 0, 16)), b0 = V::load(addend_at(in, 1, 16));
  const Reg a1 = V::load(addend_at(in, 2, 16)), b1 = V::load(addend_at(in, 3, 16));
  bool odd = false, odd_too = false;
  alternating_chains<V, rounds>(
      iterations, sink,
      [&](Reg & x) __attribute__((always_inline)) {
        x = odd ? V::fma(a1, b1, x) : V::fma(a0, b0, x);
        odd = !odd && sizeof...(I) > 1;
      },
      [&](Reg & x) __attribute__((always_inline)) {
        x = odd_too ? V::fnma(a1, b1, x) : V::fnma(a0, b0, x);
        odd_too = !odd_too && sizeof...(I) > 1;
      },
      V::load(start_at(in, I, 16))...);
}

}  // namespace
}  // namespace gable::isa
