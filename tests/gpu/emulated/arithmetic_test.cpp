#include <cmath>

#include "tests/gpu/emulated/instruction_table.hpp"
#include "tests/gpu/emulated/machine/bits.hpp"

namespace gable::emulated {
namespace {

constexpr float tiny = 0x1p-149F, largest = std::numeric_limits<float>::max(), step = 0x1p-23F;

TEST(EmulatedArithmetic, Integers) {
  expect_results({
      {"add.u32", "rrr", {{{all32, 1}, 0}, {{1, 2}, 3}}},
      {"add.s64", "www", {{{all64, 1}, 0}}},
      {"add.u16", "hhh", {{{0xffff, 2}, 1}}},
      {"sub.s32", "rrr", {{{sign32, 1}, 0x7fffffff}, {{3, 5}, 0xfffffffe}}},
      {"neg.s32", "rr", {{{1}, all32}, {{sign32}, sign32}}},
      {"abs.s32", "rr", {{{all32}, 1}, {{sign32}, sign32}, {{7}, 7}}},
      {"min.s32", "rrr", {{{all32, 1}, all32}}},
      {"min.u32", "rrr", {{{all32, 1}, 1}}},
      {"max.s64", "www", {{{all64, 1}, 1}}},
      {"max.u16", "hhh", {{{0xffff, 1}, 0xffff}}},
      {"max.s16", "hhh", {{{0xffff, 1}, 1}}},
      {"mul.lo.s32", "rrr", {{{sign32, 2}, 0}, {{all32, 5}, 0xfffffffb}}},
      {"mul.lo.u16", "hhh", {{{0xffff, 0xffff}, 1}}},
      {"mul.hi.s32", "rrr", {{{sign32, sign32}, 0x40000000}, {{all32, 1}, all32}}},
      {"mul.hi.u32", "rrr", {{{all32, all32}, 0xfffffffe}}},
      {"mul.hi.s16", "hhh", {{{0x8000, 2}, 0xffff}}},
      {"mul.hi.s64", "www", {{{sign64, sign64}, 0x4000000000000000}, {{all64, 1}, all64}}},
      {"mul.hi.u64", "www", {{{all64, all64}, all64 - 1}}},
      {"mul.wide.s16", "rhh", {{{0x8000, 0x8000}, 0x40000000}, {{0xffff, 1}, all32}}},
      {"mul.wide.u16", "rhh", {{{0xffff, 0xffff}, 0xfffe0001}}},
      {"mul.wide.s32", "wrr", {{{all32, 3}, all64 - 2}}},
      {"mul.wide.u32", "wrr", {{{all32, all32}, 0xfffffffe00000001}}},
      {"mad.lo.s32", "rrrr", {{{all32, 3, 5}, 2}}},
      {"mad.lo.u64", "wwww", {{{sign64, 2, 5}, 5}}},
      {"dp4a.s32.s32", "rrrr", {{{0x80ff7f01, 0x02030405, 100}, 100 - 256 - 3 + 508 + 5}}},
      {"div.s32", "rrr", {{{0xfffffff9, 2}, 0xfffffffd}, {{sign32, all32}, sign32}, {{5, 0}, all32}}},
      {"div.u32", "rrr", {{{0xfffffff9, 2}, 0x7ffffffc}, {{5, 0}, all32}}},
      {"div.s64", "www", {{{sign64, all64}, sign64}, {{100, 7}, 14}}},
      {"rem.s32", "rrr", {{{0xfffffff9, 2}, all32}, {{sign32, all32}, 0}, {{5, 0}, 5}}},
      {"rem.u64", "www", {{{all64, 10}, 5}}},
      {"rem.s16", "hhh", {{{0xfff9, 2}, 0xffff}}},
  });
}

/// An instruction, with a tail as its third source, against the processor's IEEE arithmetic: all pairs of special
/// values.
template <class T>
void expect_ieee(const std::string& instruction, T (*function)(T, T), const std::string& tail = "") {
  const std::vector<double> numbers{0.0,    -0.0,  1,        -1,  3,    1e-3,           0x1p-149, -0x1p-127, 0x1p-126,
                                    1.5e38, -3e38, 16777215, 1.1, -0.7, 0x1.fffffep127, HUGE_VAL, -HUGE_VAL, NAN};
  const auto bits = [](T number) { return Bits{std::bit_cast<UnsignedOf<sizeof(T)>>(number)}; };
  for (const double a : numbers) {
    Row row{instruction, sizeof(T) == 4 ? "fff" : "ddd", {}, tail};
    for (const double b : numbers) {
      const T x = static_cast<T>(a), y = static_cast<T>(b), result = function(x, y);
      if (sizeof(T) == 4 || !std::isnan(result))
        row.cases.push_back({{bits(x), bits(y)}, std::isnan(result) ? nan32 : bits(result)});
    }
    expect_results({row});
  }
}

TEST(EmulatedArithmetic, FloatingPointIsIeee) {
  expect_ieee<float>("add.f32", [](float a, float b) { return a + b; });
  expect_ieee<float>("sub.f32", [](float a, float b) { return a - b; });
  expect_ieee<float>("mul.f32", [](float a, float b) { return a * b; });
  expect_ieee<float>("div.rn.f32", [](float a, float b) { return a / b; });
  expect_ieee<float>(
      "fma.rn.f32", [](float a, float b) { return std::fma(a, b, -1.25F); }, ", 0fBFA00000");
  expect_ieee<double>("add.f64", [](double a, double b) { return a + b; });
  expect_ieee<double>("sub.f64", [](double a, double b) { return a - b; });
  expect_ieee<double>("mul.f64", [](double a, double b) { return a * b; });
  expect_ieee<double>("div.rn.f64", [](double a, double b) { return a / b; });
  expect_ieee<double>(
      "fma.rn.f64", [](double a, double b) { return std::fma(a, b, -1.25); }, ", 0dBFF4000000000000");
}

TEST(EmulatedArithmetic, RoundingModes) {
  const Bits third = 0x3eaaaaaa, more = bits32(0x1p-30F), minus_one = bits32(-1);
  expect_results({
      {"add.rn.f32", "fff", {{{one, more}, one}, {{minus_one, sign32 | more}, minus_one}}},
      {"add.rz.f32", "fff", {{{one, sign32 | more}, one - 1}, {{minus_one, sign32 | more}, minus_one}}},
      {"add.rp.f32", "fff", {{{one, more}, one + 1}, {{minus_one, sign32 | more}, minus_one}}},
      {"add.rm.f32", "fff", {{{one, more}, one}, {{minus_one, sign32 | more}, minus_one + 1}}},
      {"mul.rz.f32", "fff", {{{bits32(largest), two}, bits32(largest)}}},
      {"fma.rm.f32", "ffff", {{{one + 1, bits32(1 - step), 0}, bits32(1 - step / 2)}}},
      {"fma.rn.f32", "ffff", {{{one + 1, bits32(1 - step), minus_one}, bits32(-0x1p-46F)}}},
      {"div.rz.f32", "fff", {{{one, bits32(3)}, third}}},
      {"div.rn.f32", "fff", {{{one, bits32(3)}, third + 1}}},
      {"rcp.rm.f32", "ff", {{{bits32(3)}, third}, {{bits32(-3)}, sign32 | (third + 1)}}},
      {"sqrt.approx.f32", "ff", {{{bits32(9)}, bits32(3)}}},
      {"sqrt.rn.f32", "ff", {{{two}, 0x3fb504f3}, {{sign32}, sign32}, {{minus_one}, nan32}}},
      {"sqrt.rp.f32", "ff", {{{two}, 0x3fb504f4}}},
      {"add.rp.f64", "ddd", {{{bits64(1), bits64(0x1p-80)}, bits64(1) + 1}}},
      {"add.f32", "fff", {{{one, bits32(0x1p-24F)}, one}}},  // the mode is the nearest again
  });
}

TEST(EmulatedArithmetic, ExtremaAndSigns) {
  expect_results({
      {"min.f32", "fff", {{{one, two}, one}, {{nan32, two}, two}, {{one, nan32}, one}, {{0, sign32}, sign32}}},
      {"min.f32", "fff", {{{nan32, nan32}, nan32}}},
      {"max.f32", "fff", {{{one, two}, two}, {{nan32, two}, two}, {{sign32, 0}, 0}, {{bits32(-2), two}, two}}},
      {"min.f64", "ddd", {{{0, sign64}, sign64}, {{bits64(NAN), bits64(3)}, bits64(3)}}},
      {"abs.f32", "ff", {{{sign32 | 1000}, 1000}}},
      {"neg.f32", "ff", {{{0}, sign32}, {{sign32 | inf32}, inf32}}},
      {"neg.f64", "dd", {{{0}, sign64}}},
  });
}

TEST(EmulatedArithmetic, ApproximateFunctions) {
  expect_results({
      {"ex2.approx.f32", "ff", {{{bits32(3)}, bits32(8)}, {{bits32(-149)}, 1}, {{sign32 | inf32}, 0}}},
      {"ex2.approx.f32", "ff", {{{bits32(0.75F)}, bits32(static_cast<float>(std::exp2(0.75)))}}},
      {"ex2.approx.ftz.f32", "ff", {{{bits32(-149)}, 0}, {{bits32(128)}, inf32}, {{1}, one}}},
      {"rsqrt.approx.f32", "ff", {{{bits32(4)}, bits32(0.5F)}, {{sign32}, sign32 | inf32}, {{inf32}, 0}}},
      {"rsqrt.approx.f64", "dd", {{{bits64(16)}, bits64(0.25)}}},
      {"rsqrt.approx.ftz.f64", "dd", {{{bits64(16) + 1}, bits64(0.25)}}},
      {"div.approx.f32", "fff", {{{bits32(9), bits32(4)}, bits32(2.25F)}}},
      {"div.full.f32", "fff", {{{bits32(9), bits32(4)}, bits32(2.25F)}}},
      {"rcp.approx.ftz.f32", "ff", {{{1000}, inf32}, {{bits32(4)}, bits32(0.25F)}, {{bits32(largest)}, 0}}},
      {"rcp.approx.ftz.f64", "dd", {{{bits64(3)}, 0x3fd5555500000000}, {{1}, bits64(HUGE_VAL)}}},
      {"rcp.approx.ftz.f64", "dd", {{{bits64(NAN)}, 0x7fffffff00000000}}},
      {"rcp.rn.f64", "dd", {{{bits64(3)}, bits64(1.0 / 3)}}},
  });
}

TEST(EmulatedArithmetic, SmallFloatsRoundOnce) {
  expect_results({
      {"add.f16", "hhh", {{{0x3c00, 0x1000}, 0x3c00}, {{0x3c01, 0x1000}, 0x3c02}, {{0x7bff, 0x7bff}, 0x7c00}}},
      {"add.f16", "hhh", {{{1, 1}, 2}, {{0x7c00, 0xfc00}, 0x7fff}}},
      {"sub.f16", "hhh", {{{0x3c00, 0x3c00}, 0}, {{0, 0x3c00}, 0xbc00}}},
      {"mul.f16", "hhh", {{{0x3c01, 0x3c01}, 0x3c02}, {{0x0400, 0x3800}, 0x0200}, {{1, 0x3800}, 0}, {{3, 0x3800}, 2}}},
      // 33 x 63 = 2079 lies between 2078 and 2080, less 2^-24 nearer to 2078: no rounding in between.
      {"fma.rn.f16", "hhhh", {{{0x5020, 0x53e0, 0x8001}, 0x680f}, {{0x5020, 0x53e0, 0}, 0x6810}}},
      // 7 x 37 = 259 is a tie of bf16 between 258 and 260, and far below it something decides.
      {"fma.rn.bf16", "hhhh", {{{0x40e0, 0x4214, 0x8d80}, 0x4381}, {{0x40e0, 0x4214, 0}, 0x4382}}},
      {"fma.rn.bf16", "hhhh", {{{0x40e0, 0x4214, 0x0d80}, 0x4382}, {{0xc0e0, 0x4214, 0x0d80}, 0xc381}}},
      {"add.bf16", "hhh", {{{0x3f80, 0x3b80}, 0x3f80}, {{0x3f81, 0x3b80}, 0x3f82}, {{0x7f7f, 0x7f7f}, 0x7f80}}},
      {"fma.rn.f16x2", "rrrr", {{{0x40003c00, 0x42003c00, 0x3c003c00}, 0x47004000}}},
      {"add.f16x2", "rrr", {{{0xbc003c00, 0x3c003c00}, 0x00004000}}},
      {"mul.bf16x2", "rrr", {{{0x40003f80, 0x4040bf80}, 0x40c0bf80}}},
      {"min.f16", "hhh", {{{0x3c00, 0x4000}, 0x3c00}, {{0x7e00, 0x4000}, 0x4000}, {{0, 0x8000}, 0x8000}}},
      {"max.bf16x2", "rrr", {{{0x3f80c000, 0x4000bf80}, 0x4000bf80}}},
      {"neg.f16x2", "rr", {{{0x3c008000}, 0xbc000000}}},
      {"abs.bf16", "hh", {{{0xbf80}, 0x3f80}}},
  });
}

TEST(EmulatedArithmetic, WhatIsNotThereIsRefused) {
  for (const std::string statement :
       {"min.xorsign.abs.f32 %f9, %f0, %f1;", "add.s16x2 %r9, %r0, %r1;", "add.sat.s32 %r9, %r0, %r1;",
        "fma.rn.relu.f16 %h9, %h0, %h1, %h2;", "add.rm.f16 %h9, %h0, %h1;", "mul.wide.s64 %rd9, %rd0, %rd1;",
        "add.ftz.f32 %f9, %f0, %f1;", "add.f32 %f9, %f0;"}) {
    EXPECT_NE(failure_of(statement), "") << statement;
  }
}

TEST(EmulatedArithmetic, OtherLanesKeepTheirValues) {
  std::vector<Bits> numbers(32);
  for (std::size_t i = 0; i < 32; ++i) numbers[i] = i;
  const auto results =
      in_lanes("mov.u32 %r9, 1000; setp.gt.u32 %p1, %r0, 20; @%p1 add.u32 %r9, %r0, 1;", "%r9", 32, {numbers});
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(results[i], i > 20 ? i + 1 : 1000);
}

}  // namespace
}  // namespace gable::emulated
