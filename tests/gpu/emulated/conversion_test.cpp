#include <cmath>

#include "tests/gpu/emulated/instruction_table.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

TEST(EmulatedConversion, BetweenIntegers) {
  expect_results({
      {"cvt.u32.u8", "rr", {{{0x1ff}, 0xff}}},
      {"cvt.s32.s8", "rr", {{{0x180}, 0xffffff80}, {{0x7f}, 0x7f}}},
      {"cvt.s64.s32", "wr", {{{sign32}, 0xffffffff80000000}}},
      {"cvt.u64.u32", "wr", {{{sign32}, sign32}}},
      {"cvt.u64.s32", "wr", {{{all32}, all64}}},
      {"cvt.u16.u32", "hr", {{{0x12345678}, 0x5678}}},
      {"cvt.u32.u64", "rw", {{{0x123456789abcdef0}, 0x9abcdef0}}},
      {"cvt.s16.s8", "hh", {{{0x80}, 0xff80}}},
      {"cvt.s8.s32", "rr", {{{0x180}, 0xffffff80}}},  // the wider register gets copies of the sign
      {"cvt.u8.u32", "rr", {{{0x180}, 0x80}}},
  });
}

TEST(EmulatedConversion, FloatToInteger) {
  const auto cases = [](Bits low_tie, Bits high_tie, Bits negative) {
    return std::vector<Case>{
        {{bits32(2.5F)}, low_tie}, {{bits32(3.5F)}, high_tie}, {{bits32(-1.25F)}, negative & all32}, {{nan32}, 0},
        {{inf32}, 0x7fffffff},     {{bits32(-3e9F)}, sign32}};
  };
  expect_results({
      {"cvt.rni.s32.f32", "rf", cases(2, 4, all64)},
      {"cvt.rzi.s32.f32", "rf", cases(2, 3, all64)},
      {"cvt.rmi.s32.f32", "rf", cases(2, 3, all64 - 1)},
      {"cvt.rpi.s32.f32", "rf", cases(3, 4, all64)},
      {"cvt.rzi.u32.f32", "rf", {{{bits32(-5)}, 0}, {{bits32(3e9F)}, 3000000000}, {{bits32(5e9F)}, all32}}},
      {"cvt.rzi.u32.f64", "rd", {{{bits64(-5)}, 0}, {{bits64(4294967295.5)}, all32}, {{bits64(NAN)}, sign32}}},
      {"cvt.rzi.s64.f32", "wf", {{{nan32}, sign64}, {{bits32(-1.5F)}, all64}, {{bits32(1e20F)}, sign64 - 1}}},
      {"cvt.rzi.u64.f32", "wf", {{{bits32(0x1p63F)}, sign64}, {{inf32}, all64}, {{nan32}, sign64}}},
      {"cvt.rzi.s32.f64", "rd", {{{bits64(-2147483648.9)}, sign32}, {{bits64(2147483646.9)}, 2147483646}}},
      {"cvt.rzi.s16.f32", "rf", {{{bits32(-40000)}, 0xffff8000}, {{bits32(40000)}, 0x7fff}}},
      {"cvt.rzi.u8.f32", "rf", {{{bits32(300)}, 255}, {{bits32(-3)}, 0}}},
      {"cvt.rni.s32.f16", "rh", {{{0xc100}, all32 - 1}, {{0x7c00}, 0x7fffffff}}},
  });
}

TEST(EmulatedConversion, IntegerToFloat) {
  const Bits tie = (Bits{1} << 60) + (Bits{1} << 36);  // of fp32; a bit more is none that fp64 could hold
  expect_results({
      {"cvt.rn.f32.s32", "fr", {{{16777217}, bits32(16777216)}, {{16777219}, bits32(16777220)}}},
      {"cvt.rn.f32.s32", "fr", {{{all32}, bits32(-1)}, {{sign32}, bits32(-0x1p31F)}}},
      {"cvt.rn.f32.u32", "fr", {{{all32}, bits32(0x1p32F)}}},
      {"cvt.rn.f32.u64", "fw", {{{all64}, bits32(0x1p64F)}, {{tie + 1}, 0x5d800001}, {{tie}, 0x5d800000}}},
      {"cvt.rn.f32.s64", "fw", {{{0 - (tie + 1)}, 0xdd800001}}},
      {"cvt.rn.f64.u64", "dw", {{{all64}, bits64(0x1p64)}, {{(Bits{1} << 53) + 1}, bits64(0x1p53)}}},
      {"cvt.rn.f64.s32", "dr", {{{all32}, bits64(-1)}}},
      {"cvt.rn.f16.s32", "hr", {{{2049}, 0x6800}, {{2051}, 0x6802}, {{70000}, 0x7c00}, {{all32}, 0xbc00}}},
      {"cvt.rn.bf16.u32", "hr", {{{257}, 0x4380}, {{259}, 0x4382}}},
      {"cvt.rn.f32.s16", "fh", {{{0x8000}, bits32(-32768)}}},
      {"cvt.rn.f32.s8", "fr", {{{0x1ff}, bits32(-1)}}},
  });
}

TEST(EmulatedConversion, BetweenFloats) {
  const Bits half_step = bits32(1 + 0x1p-11F);  // half way from 1 to the next number of f16
  expect_results({
      {"cvt.rn.f16.f32", "hf", {{{half_step}, 0x3c00}, {{bits32(1 + 3 * 0x1p-11F)}, 0x3c02}, {{sign32}, 0x8000}}},
      {"cvt.rn.f16.f32", "hf", {{{bits32(65519)}, 0x7bff}, {{bits32(65520)}, 0x7c00}, {{0xffc00000}, 0x7fff}}},
      {"cvt.rn.f16.f32", "hf", {{{bits32(0x1p-25F)}, 0}, {{bits32(0x1.8p-25F)}, 1}, {{1}, 0}, {{inf32}, 0x7c00}}},
      {"cvt.f32.f16",
       "fh",
       {{{1}, bits32(0x1p-24F)}, {{0xfc00}, sign32 | inf32}, {{0x7e00}, nan32}, {{0x8000}, sign32}}},
      {"cvt.f64.f16", "dh", {{{0x3555}, bits64(1365 * 0x1p-12)}}},
      {"cvt.rn.bf16.f32", "hf", {{{0x3f808000}, 0x3f80}, {{0x3f818000}, 0x3f82}, {{0x3f808001}, 0x3f81}}},
      {"cvt.rn.bf16.f32", "hf", {{{0x7f7fffff}, 0x7f80}, {{0x00018000}, 2}, {{0x7f800001}, 0x7fff}}},
      {"cvt.f32.bf16", "fh", {{{0xbf80}, bits32(-1)}, {{1}, 0x00010000}}},
      {"cvt.rn.f32.f64", "fd", {{{bits64(1 + 0x1p-24)}, one}, {{bits64(1 + 3 * 0x1p-24)}, one + 2}}},
      {"cvt.rn.f32.f64", "fd", {{{bits64(1e300)}, inf32}, {{bits64(0x1.8p-150)}, 1}, {{bits64(0x1p-150)}, 0}}},
      {"cvt.f64.f32", "df", {{{1}, bits64(0x1p-149)}, {{sign32 | inf32}, bits64(-HUGE_VAL)}}},
      {"cvt.sat.f32.f32", "ff", {{{two}, one}, {{bits32(-1)}, 0}, {{nan32}, 0}, {{bits32(0.3F)}, bits32(0.3F)}}},
      // The first of two becomes the upper half.
      {"cvt.rn.f16x2.f32", "rff", {{{two, one}, 0x40003c00}, {{half_step, one}, 0x3c003c00}}},
      {"cvt.rn.bf16x2.f32", "rff", {{{bits32(-3), one}, 0xc0403f80}, {{bits32(1 + 0x1p-8F), one}, 0x3f803f80}}},
  });
}

TEST(EmulatedConversion, WhatIsNotThereIsRefused) {
  for (const std::string statement : {"cvt.rz.f64.s64 %fd9, %rd0;", "cvt.u32 %r9, %r0;", "cvt.sat.s8.s32 %r9, %r0;",
                                      "cvt.rn.bf16.u64 %h9, %rd0;", "cvt.rzi.sat.s32.f32 %r9, %f0;"}) {
    EXPECT_NE(failure_of(statement), "") << statement;
  }
}

/// The value of a code by the formula of its format: a sign, `exponent_bits` and `mantissa_bits`, with IEEE's bias.
double value_of_code(std::uint32_t code, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, mantissa = static_cast<int>(code) & ((1 << mantissa_bits) - 1);
  const int exponent = static_cast<int>(code >> mantissa_bits);
  return exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                       : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

struct Format {
  int exponent_bits, mantissa_bits;
  std::uint32_t largest;
  double (*value)(std::uint64_t);
  std::uint64_t (*bits)(double);
};

/// Every finite code has the formula's value and comes back from it; half way to the next number rounds to the even
/// one.
TEST(EmulatedConversion, EveryCodeOfTheSmallFormats) {
  for (const Format& format : {Format{5, 10, 0x7bff, &decoded<half_format>, &encoded<half_format>},
                               Format{8, 7, 0x7f7f, &decoded<bfloat_format>, &encoded<bfloat_format>},
                               Format{4, 3, 0x7e, &decoded<e4m3_format>, &encoded<e4m3_format>},
                               Format{5, 2, 0x7b, &decoded<e5m2_format>, &encoded<e5m2_format>}}) {
    const std::uint32_t sign = 1U << (format.exponent_bits + format.mantissa_bits);
    for (std::uint32_t code = 0; code <= format.largest; ++code) {
      const double value = value_of_code(code, format.exponent_bits, format.mantissa_bits);
      ASSERT_EQ(format.value(code), value);
      ASSERT_EQ(format.value(sign | code), -value);
      ASSERT_EQ(format.bits(value), code);
      ASSERT_EQ(format.bits(-value), sign | code);
      // What would follow the largest number is infinite, or in e4m3 not a number.
      const double middle = (value + value_of_code(code + 1, format.exponent_bits, format.mantissa_bits)) / 2;
      ASSERT_EQ(format.bits(middle), code + (code & 1));
      ASSERT_EQ(format.bits(std::nextafter(middle, 0.0)), code);
      ASSERT_EQ(format.bits(-std::nextafter(middle, HUGE_VAL)), sign | (code + 1));
    }
    EXPECT_TRUE(std::isnan(format.value(sign - 1)));
  }
  EXPECT_EQ(decoded<half_format>(0xfc00), -HUGE_VAL);
  EXPECT_EQ(decoded<e5m2_format>(0x7c), HUGE_VAL);
}

}  // namespace
}  // namespace gable::emulated
