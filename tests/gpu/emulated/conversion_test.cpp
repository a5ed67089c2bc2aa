#include <cmath>
#include <limits>

#include "tests/gpu/emulated/instruction_table.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

constexpr Bits all32 = 0xffffffff, all64 = ~Bits{0}, sign32 = 0x80000000, sign64 = 0x8000000000000000,
               nan32 = 0x7fffffff;
constexpr float inf = std::numeric_limits<float>::infinity();

TEST(EmulatedConversion, BetweenIntegers) {
  expect_results({
      {"cvt.u32.u8", "rr", {{{0x1ff}, 0xff}}},
      {"cvt.s32.s8", "rr", {{{0x180}, 0xffffff80}, {{0x7f}, 0x7f}}},
      {"cvt.s64.s32", "wr", {{{sign32}, 0xffffffff80000000}}},
      {"cvt.u64.u32", "wr", {{{sign32}, sign32}}},
      {"cvt.u64.s32", "wr", {{{all32}, all64}}},
      {"cvt.u16.u32", "hr", {{{0x12345678}, 0x5678}}},
      {"cvt.u32.u64", "rw", {{{0x123456789abcdef0}, 0x9abcdef0}}},
      {"cvt.s8.s32", "rr", {{{0x180}, 0xffffff80}}},  // the wider register gets copies of the sign
      {"cvt.u8.u32", "rr", {{{0x180}, 0x80}}},
      {"cvt.sat.s8.s32", "rr", {{{300}, 127}, {{static_cast<Bits>(-300) & all32}, 0xffffff80}, {{5}, 5}}},
      {"cvt.sat.u8.s32", "rr", {{{all32}, 0}, {{300}, 255}}},
      {"cvt.sat.u32.s32", "rr", {{{all32}, 0}}},
      {"cvt.sat.s32.u32", "rr", {{{all32}, 0x7fffffff}}},
      {"cvt.sat.s32.s64", "rw", {{{sign64}, sign32}, {{Bits{1} << 40}, 0x7fffffff}}},
      {"cvt.sat.s64.u64", "ww", {{{all64}, sign64 - 1}}},
      {"cvt.pack.sat.s16.s32",
       "rrr",
       {{{40000, static_cast<Bits>(-40000) & all32}, 0x7fff8000}, {{1, all32}, 0x0001ffff}}},
      {"cvt.pack.sat.u8.s32.b32", "rrrr", {{{300, all32, 0x12345678}, 0x5678ff00}}},
  });
}

TEST(EmulatedConversion, FloatToInteger) {
  const auto cases = [](Bits low_tie, Bits high_tie, Bits negative) {
    return std::vector<Case>{
        {{bits32(2.5F)}, low_tie},   {{bits32(3.5F)}, high_tie}, {{bits32(-1.25F)}, negative & all32}, {{nan32}, 0},
        {{bits32(inf)}, 0x7fffffff}, {{bits32(-3e9F)}, sign32}};
  };
  expect_results({
      {"cvt.rni.s32.f32", "rf", cases(2, 4, all64)},
      {"cvt.rzi.s32.f32", "rf", cases(2, 3, all64)},
      {"cvt.rmi.s32.f32", "rf", cases(2, 3, all64 - 1)},
      {"cvt.rpi.s32.f32", "rf", cases(3, 4, all64)},
      {"cvt.rzi.u32.f32",
       "rf",
       {{{bits32(-5)}, 0}, {{bits32(3e9F)}, 3000000000}, {{bits32(5e9F)}, all32}, {{nan32}, 0}}},
      {"cvt.rzi.s64.f32", "wf", {{{nan32}, sign64}, {{bits32(-1.5F)}, all64}, {{bits32(1e20F)}, sign64 - 1}}},
      {"cvt.rzi.u64.f32", "wf", {{{bits32(0x1p63F)}, sign64}, {{bits32(inf)}, all64}, {{nan32}, sign64}}},
      {"cvt.rzi.s32.f64",
       "rd",
       {{{bits64(NAN)}, sign32}, {{bits64(-2147483648.9)}, sign32}, {{bits64(2147483646.9)}, 2147483646}}},
      {"cvt.rzi.s16.f32", "rf", {{{bits32(-40000)}, 0xffff8000}, {{bits32(40000)}, 0x7fff}}},
      {"cvt.rzi.u8.f32", "rf", {{{bits32(300)}, 255}, {{bits32(-3)}, 0}}},
      {"cvt.rni.s32.f16", "rh", {{{0xc100}, all32 - 1}, {{0x7c00}, 0x7fffffff}}},
      {"cvt.rpi.ftz.s32.f32", "rf", {{{1}, 0}}},
      {"cvt.rpi.s32.f32", "rf", {{{1}, 1}}},
  });
}

TEST(EmulatedConversion, IntegerToFloat) {
  const Bits minus_16777217 = static_cast<Bits>(-16777217) & all32;
  expect_results({
      {"cvt.rn.f32.s32",
       "fr",
       {{{16777217}, bits32(16777216)},
        {{16777219}, bits32(16777220)},
        {{all32}, bits32(-1)},
        {{sign32}, bits32(-0x1p31F)}}},
      {"cvt.rp.f32.s32", "fr", {{{16777217}, bits32(16777218)}, {{minus_16777217}, bits32(-16777216)}}},
      {"cvt.rm.f32.s32", "fr", {{{16777217}, bits32(16777216)}, {{minus_16777217}, bits32(-16777218)}}},
      {"cvt.rz.f32.u32", "fr", {{{all32}, bits32(4294967040.0F)}}},
      {"cvt.rn.f32.u32", "fr", {{{all32}, bits32(0x1p32F)}}},
      // Just above a tie by a bit that fp64 could not hold.
      {"cvt.rn.f32.u64",
       "fw",
       {{{all64}, bits32(0x1p64F)},
        {{(Bits{1} << 60) + (Bits{1} << 36) + 1}, 0x5d800001},
        {{(Bits{1} << 60) + (Bits{1} << 36)}, 0x5d800000}}},
      {"cvt.rn.f32.s64", "fw", {{{0 - ((Bits{1} << 60) + (Bits{1} << 36) + 1)}, 0xdd800001}}},
      {"cvt.rn.f64.u64", "dw", {{{all64}, bits64(0x1p64)}, {{(Bits{1} << 53) + 1}, bits64(0x1p53)}}},
      {"cvt.rn.f64.s32", "dr", {{{all32}, bits64(-1)}}},
      {"cvt.rn.f16.s32", "hr", {{{2049}, 0x6800}, {{2051}, 0x6802}, {{70000}, 0x7c00}, {{all32}, 0xbc00}}},
      {"cvt.rz.f16.u32", "hr", {{{70000}, 0x7bff}}},
      {"cvt.rn.bf16.u32", "hr", {{{257}, 0x4380}, {{259}, 0x4382}}},
      {"cvt.rn.f32.s8", "fr", {{{0x1ff}, bits32(-1)}}},
  });
}

TEST(EmulatedConversion, BetweenFloats) {
  expect_results({
      {"cvt.rn.f16.f32",
       "hf",
       {{{bits32(1 + 0x1p-11F)}, 0x3c00},
        {{bits32(1 + 3 * 0x1p-11F)}, 0x3c02},
        {{bits32(65519)}, 0x7bff},
        {{bits32(65520)}, 0x7c00},
        {{bits32(0x1p-25F)}, 0},
        {{bits32(0x1.8p-25F)}, 1},
        {{bits32(-0.0F)}, 0x8000},
        {{0xffc00000}, 0x7fff},
        {{bits32(1023.5F * 0x1p-24F)}, 0x0400}}},
      {"cvt.rz.f16.f32", "hf", {{{bits32(1e6F)}, 0x7bff}, {{bits32(inf)}, 0x7c00}, {{bits32(-1.9999F)}, 0xbfff}}},
      {"cvt.rp.f16.f32", "hf", {{{bits32(1e-9F)}, 1}, {{bits32(-1e6F)}, 0xfbff}, {{bits32(1e6F)}, 0x7c00}}},
      {"cvt.rm.f16.f32", "hf", {{{bits32(1e-9F)}, 0}, {{bits32(-1e-9F)}, 0x8001}}},
      {"cvt.rn.f16.f64", "hd", {{{bits64(1 + 0x1p-11 + 0x1p-40)}, 0x3c01}}},  // by way of fp32 it would be a tie
      {"cvt.rn.relu.f16.f32", "hf", {{{bits32(-3)}, 0}, {{bits32(3)}, 0x4200}, {{nan32}, 0x7fff}}},
      {"cvt.rn.satfinite.f16.f32", "hf", {{{bits32(-1e6F)}, 0xfbff}, {{bits32(inf)}, 0x7bff}}},
      {"cvt.f32.f16",
       "fh",
       {{{1}, bits32(0x1p-24F)},
        {{0x7bff}, bits32(65504)},
        {{0xfc00}, bits32(-inf)},
        {{0x7e00}, nan32},
        {{0x8000}, sign32}}},
      {"cvt.f64.f16", "dh", {{{0x3555}, bits64(1365 * 0x1p-12)}}},
      {"cvt.rn.bf16.f32",
       "hf",
       {{{0x3f808000}, 0x3f80},
        {{0x3f818000}, 0x3f82},
        {{0x3f808001}, 0x3f81},
        {{0x7f7fffff}, 0x7f80},
        {{0x00018000}, 2},
        {{0x7f800001}, 0x7fff}}},
      {"cvt.rz.bf16.f32", "hf", {{{0x3f80ffff}, 0x3f80}, {{0x7f7fffff}, 0x7f7f}}},
      {"cvt.f32.bf16", "fh", {{{0xbf80}, bits32(-1)}, {{1}, 0x00010000}}},
      {"cvt.rn.f32.f64",
       "fd",
       {{{bits64(1 + 0x1p-24)}, bits32(1)},
        {{bits64(1 + 3 * 0x1p-24)}, bits32(1 + 0x1p-22F)},
        {{bits64(1e300)}, bits32(inf)},
        {{bits64(0x1.8p-150)}, 1},
        {{bits64(0x1p-150)}, 0}}},
      {"cvt.rz.f32.f64", "fd", {{{bits64(-1e300)}, 0xff7fffff}}},
      {"cvt.rp.f32.f64", "fd", {{{bits64(1 + 0x1p-40)}, bits32(1) + 1}, {{bits64(-1 - 0x1p-40)}, bits32(-1)}}},
      {"cvt.rn.ftz.f32.f64", "fd", {{{bits64(-0x1p-130)}, sign32}}},
      {"cvt.f64.f32", "df", {{{1}, bits64(0x1p-149)}, {{bits32(-inf)}, bits64(-HUGE_VAL)}}},
      {"cvt.sat.f32.f32",
       "ff",
       {{{bits32(2)}, bits32(1)}, {{bits32(-1)}, 0}, {{nan32}, 0}, {{bits32(0.3F)}, bits32(0.3F)}}},
      {"cvt.rni.f32.f32", "ff", {{{bits32(2.5F)}, bits32(2)}, {{bits32(-0.3F)}, sign32}}},
      {"cvt.rmi.f64.f64", "dd", {{{bits64(-0.3)}, bits64(-1)}}},
      {"cvt.rna.tf32.f32",
       "rf",
       {{{bits32(1 + 0x1p-11F)}, bits32(1 + 0x1p-10F)},
        {{bits32(-1 - 0x1p-11F)}, bits32(-1 - 0x1p-10F)},
        {{bits32(1 + 0x1.ffp-12F)}, bits32(1)},
        {{0x7fc00000}, nan32}}},
      {"cvt.rn.tf32.f32",
       "rf",
       {{{bits32(1 + 0x1p-11F)}, bits32(1)}, {{bits32(1 + 3 * 0x1p-11F)}, bits32(1 + 0x1p-9F)}}},
  });
}

TEST(EmulatedConversion, Pairs) {
  const auto pairs = [](const std::vector<std::pair<float, Bits>>& values) {  // both halves: the value, and one
    std::vector<Case> all;
    for (const auto& [value, result] : values) all.push_back({{bits32(value), bits32(1)}, result});
    return all;
  };
  expect_results({
      {"cvt.rn.f16x2.f32", "rff", pairs({{2, 0x40003c00}, {1 + 0x1p-11F, 0x3c003c00}, {-1e6F, 0xfc003c00}})},
      {"cvt.rn.relu.f16x2.f32", "rff", pairs({{-2, 0x00003c00}, {NAN, 0x7fff3c00}})},
      {"cvt.rz.f16x2.f32", "rff", pairs({{65535, 0x7bff3c00}})},
      {"cvt.rn.bf16x2.f32", "rff", pairs({{3, 0x40403f80}, {1 + 0x1p-8F, 0x3f803f80}})},
      {"cvt.rn.satfinite.e4m3x2.f32", "hff",
       pairs({{448, 0x7e38},
              {1000, 0x7e38},
              {-inf, 0xfe38},
              {NAN, 0x7f38},
              {464, 0x7e38},
              {0x1p-9F, 0x0138},
              {0x1p-10F, 0x0038},
              {3 * 0x1p-10F, 0x0238},
              {17, 0x5838},
              {19, 0x5a38},
              {-0.0F, 0x8038},
              {15 * 0x1p-10F, 0x0838}})},
      {"cvt.rn.satfinite.relu.e4m3x2.f32", "hff", pairs({{-5, 0x0038}})},
      {"cvt.rn.satfinite.e5m2x2.f32", "hff",
       pairs({{57344, 0x7b3c},
              {61440, 0x7b3c},
              {inf, 0x7b3c},
              {NAN, 0x7f3c},
              {0x1p-16F, 0x013c},
              {0x1p-17F, 0x003c},
              {4.5F, 0x443c},
              {5.5F, 0x463c},
              {-1e9F, 0xfb3c}})},
      {"cvt.rn.satfinite.e4m3x2.f16x2", "hr", {{{0x7c003c00}, 0x7e38}, {{0xc0003800}, 0xc030}}},
      {"cvt.rn.f16x2.e4m3x2", "rh", {{{0x7e01}, 0x5f001800}, {{0x7fb8}, 0x7fffbc00}}},
      {"cvt.rn.relu.f16x2.e4m3x2", "rh", {{{0xb838}, 0x00003c00}}},
      {"cvt.rn.f16x2.e5m2x2", "rh", {{{0x7c01}, 0x7c000100}, {{0x7bfe}, 0x7b007fff}}},
  });
}

TEST(EmulatedConversion, WhatIsNotThereIsRefused) {
  for (const std::string statement : {"cvt.rs.f16x2.f32 %r9, %f0, %f1, %r2;", "cvt.rz.f64.s64 %fd9, %rd0;",
                                      "cvt.u32 %r9, %r0;", "cvt.rn.satfinite.e2m1x2.f32 %h9, %f0, %f1;"}) {
    EXPECT_THROW(in_lanes(statement, "%r9", 32, {{1}, {2}, {3}}), EmulationError) << statement;
  }
}

/// The value of a code by the formula of its format: a sign, `exponent_bits` and `mantissa_bits`, with IEEE's bias.
double value_of_code(std::uint32_t code, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, mantissa = static_cast<int>(code) & ((1 << mantissa_bits) - 1);
  const int exponent = static_cast<int>(code >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double sign = (code >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1 : 1;
  return sign * (exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                               : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits));
}

struct Format {
  int exponent_bits, mantissa_bits;
  std::uint32_t largest;
  double (*value)(std::uint32_t);
  std::uint32_t (*bits)(double);
};

/// Every finite code has the formula's value and comes back from it; half way to the next number rounds to the even
/// one.
TEST(EmulatedConversion, EveryCodeOfTheSmallFormats) {
  for (const Format& format :
       {Format{5, 10, 0x7bff, &half_value, &half_bits}, Format{8, 7, 0x7f7f, &bfloat_value, &bfloat_bits},
        Format{4, 3, 0x7e, &e4m3_value, &e4m3_bits}, Format{5, 2, 0x7b, &e5m2_value, &e5m2_bits}}) {
    const std::uint32_t sign = 1U << (format.exponent_bits + format.mantissa_bits);
    for (std::uint32_t code = 0; code <= format.largest; ++code) {
      const double value = value_of_code(code, format.exponent_bits, format.mantissa_bits);
      ASSERT_EQ(format.value(code), value);
      ASSERT_EQ(format.value(sign | code), -value);
      ASSERT_EQ(format.bits(value), code);
      ASSERT_EQ(format.bits(-value), sign | code);
      if (code == format.largest) break;
      const double middle = (value + value_of_code(code + 1, format.exponent_bits, format.mantissa_bits)) / 2;
      ASSERT_EQ(format.bits(middle), code + (code & 1));
      ASSERT_EQ(format.bits(std::nextafter(middle, 0.0)), code);
      ASSERT_EQ(format.bits(-std::nextafter(middle, HUGE_VAL)), sign | (code + 1));
    }
    EXPECT_TRUE(std::isnan(format.value(sign - 1)));
  }
}

}  // namespace
}  // namespace gable::emulated
