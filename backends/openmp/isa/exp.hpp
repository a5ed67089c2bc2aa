#pragma once
// exp of one register of elements, for the "exp" ceiling; see loops.hpp for the rules.
// n = round(x / ln 2), r = x - n ln 2 in two parts (Cody and Waite), a polynomial for exp(r) on |r| <= ln(2)/2
// (interpolation at Chebyshev nodes of (exp(r) - 1 - r) / r^2, computed in 60 digits), and n added to the exponent. n
// is rounded by adding and subtracting 1.5 x 2^(mantissa bits), which also leaves n in the low bits as an integer. No
// clamping: valid while the result is a normal number, |x| <= 87 (fp32) and |x| <= 708 (fp64). Error at most 2 ulp (the
// test samples the whole range).
#include "backends/openmp/isa/rows.hpp"

namespace gable::isa {
namespace {

inline constexpr std::size_t exp_inputs = 2;

/// 12 arithmetic instructions an element register.
template <class V>
void exp_fp32(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const Reg log2e = V::set(0x1.715476p+0F), round = V::set(0x1.8p23F), unround = V::set(-0x1.8p23F), one = V::set(1.0F);
  const Reg ln2_high = V::set(0x1.62e4p-1F), ln2_low = V::set(0x1.7f7d1cp-20F);
  const Reg c2 = V::set(0x1p-1F), c3 = V::set(0x1.5554dcp-3F), c4 = V::set(0x1.555518p-5F);
  const Reg c5 = V::set(0x1.120be2p-7F), c6 = V::set(0x1.6d117cp-10F);
  auto begin = [&](const Reg& x, Reg& shifted, Reg& r) __attribute__((always_inline)) {
    shifted = V::fma(x, log2e, round);
    const Reg n = V::add(shifted, unround);
    r = V::fnma(n, ln2_low, V::fnma(n, ln2_high, x));
  };
  auto finish = [&](const Reg& shifted, const Reg& r) __attribute__((always_inline)) {
    Reg p = V::fma(c6, r, c5);
    p = V::fma(p, r, c4);
    p = V::fma(p, r, c3);
    p = V::fma(p, r, c2);
    p = V::fma(p, r, one);
    p = V::fma(p, r, one);
    return V::template scale<23>(p, shifted);
  };
  map_in_halves<V, exp_inputs>(iterations, operands, sink, begin, finish);
}

/// 17 arithmetic instructions an element register. Instruction sets with 16 registers read some of the 16 constants
/// from L1.
template <class V>
void exp_fp64(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const Reg log2e = V::set(0x1.71547652b82fep+0), round = V::set(0x1.8p52), unround = V::set(-0x1.8p52),
            one = V::set(1.0);
  const Reg ln2_high = V::set(0x1.62e42feep-1), ln2_low = V::set(0x1.a39ef35793c76p-33);
  const Reg c2 = V::set(0x1p-1), c3 = V::set(0x1.5555555555556p-3), c4 = V::set(0x1.5555555553d37p-5);
  const Reg c5 = V::set(0x1.11111111109a6p-7), c6 = V::set(0x1.6c16c1789d1d7p-10), c7 = V::set(0x1.a01a01a7cebcdp-13);
  const Reg c8 = V::set(0x1.a019b8ca26fcfp-16), c9 = V::set(0x1.71de0d85293b8p-19);
  const Reg c10 = V::set(0x1.2891d4ffbb0f9p-22), c11 = V::set(0x1.af390ba7e6f47p-26);
  auto begin = [&](const Reg& x, Reg& shifted, Reg& r) __attribute__((always_inline)) {
    shifted = V::fma(x, log2e, round);
    const Reg n = V::add(shifted, unround);
    r = V::fnma(n, ln2_low, V::fnma(n, ln2_high, x));
  };
  auto finish = [&](const Reg& shifted, const Reg& r) __attribute__((always_inline)) {
    Reg p = V::fma(c11, r, c10);
    p = V::fma(p, r, c9);
    p = V::fma(p, r, c8);
    p = V::fma(p, r, c7);
    p = V::fma(p, r, c6);
    p = V::fma(p, r, c5);
    p = V::fma(p, r, c4);
    p = V::fma(p, r, c3);
    p = V::fma(p, r, c2);
    p = V::fma(p, r, one);
    p = V::fma(p, r, one);
    return V::template scale<52>(p, shifted);
  };
  map_in_halves<V, exp_inputs>(iterations, operands, sink, begin, finish);
}

template <class V>
constexpr ComputeKernel exp_row(const char* instructions, double count, ComputeLoop* run) {
  return counted_in_elements(row<V>("", instructions, map_rounds * exp_inputs, count, run), "exp");
}
template <class V>
constexpr ComputeKernel exp_fp32_row(const char* instructions) {
  return exp_row<V>(instructions, 12, exp_fp32<V>);
}
template <class V>
constexpr ComputeKernel exp_fp64_row(const char* instructions) {
  return exp_row<V>(instructions, 17, exp_fp64<V>);
}

}  // namespace
}  // namespace gable::isa
