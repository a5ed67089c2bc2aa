#include <cmath>
#include <limits>

#include "tests/gpu/emulated/instruction_table.hpp"

namespace gable::emulated {
namespace {

constexpr Bits all32 = 0xffffffff, nan32 = 0x7fffffff, one = bits32(1), two = bits32(2), sign32 = 0x80000000;

TEST(EmulatedComparison, OrderOfNumbers) {
  const auto cases = [](Bits less, Bits equal, Bits greater, Bits unordered) {
    return std::vector<Case>{{{one, two}, less},        {{one, one}, equal},       {{two, one}, greater},
                             {{nan32, one}, unordered}, {{one, nan32}, unordered}, {{0, sign32}, equal},
                             {{bits32(-1), one}, less}};
  };
  expect_results({
      {"setp.eq.f32", "pff", cases(0, 1, 0, 0)},
      {"setp.ne.f32", "pff", cases(1, 0, 1, 0)},
      {"setp.lt.f32", "pff", cases(1, 0, 0, 0)},
      {"setp.le.f32", "pff", cases(1, 1, 0, 0)},
      {"setp.gt.f32", "pff", cases(0, 0, 1, 0)},
      {"setp.ge.f32", "pff", cases(0, 1, 1, 0)},
      {"setp.equ.f32", "pff", cases(0, 1, 0, 1)},
      {"setp.neu.f32", "pff", cases(1, 0, 1, 1)},
      {"setp.ltu.f32", "pff", cases(1, 0, 0, 1)},
      {"setp.leu.f32", "pff", cases(1, 1, 0, 1)},
      {"setp.gtu.f32", "pff", cases(0, 0, 1, 1)},
      {"setp.geu.f32", "pff", cases(0, 1, 1, 1)},
      {"setp.num.f32", "pff", cases(1, 1, 1, 0)},
      {"setp.nan.f32", "pff", cases(0, 0, 0, 1)},
  });
}

TEST(EmulatedComparison, OtherTypes) {
  expect_results({
      {"setp.lt.s32", "prr", {{{all32, 1}, 1}, {{1, all32}, 0}}},
      {"setp.lt.u32", "prr", {{{all32, 1}, 0}, {{1, all32}, 1}}},
      {"setp.hi.u32", "prr", {{{all32, 1}, 1}}},
      {"setp.ls.u64", "pww", {{{1, ~Bits{0}}, 1}, {{2, 1}, 0}}},
      {"setp.gt.s16", "phh", {{{0x8000, 1}, 0}, {{0x7fff, 1}, 1}}},
      {"setp.ne.b64", "pww", {{{1, Bits{1} << 32 | 1}, 1}}},
      {"setp.lt.f64", "pdd", {{{bits64(1), bits64(1 + 0x1p-52)}, 1}, {{bits64(NAN), 0}, 0}}},
      {"setp.gt.f32", "pff", {{{1, 0}, 1}}},
      {"setp.gt.ftz.f32", "pff", {{{1, 0}, 0}}},
      {"setp.lt.f16", "phh", {{{0xbc00, 0x3c00}, 1}, {{0x7e00, 0}, 0}, {{1, 2}, 1}}},
      {"setp.lt.ftz.f16", "phh", {{{1, 2}, 0}}},
      {"setp.geu.bf16", "phh", {{{0x3f80, 0xbf80}, 1}, {{0x7fc0, 0}, 1}}},
      {"testp.finite.f32", "pf", {{{one}, 1}, {{nan32}, 0}, {{0x7f800000}, 0}}},
      {"testp.notanumber.f64", "pd", {{{bits64(NAN)}, 1}, {{0}, 0}}},
      {"testp.subnormal.f32", "pf", {{{1}, 1}, {{0}, 0}, {{one}, 0}}},
      {"testp.normal.f32", "pf", {{{1}, 0}, {{one}, 1}}},
  });
}

/// Two destinations and a predicate that the comparison is combined with, for all four combinations of truths.
TEST(EmulatedComparison, Combinations) {
  const std::vector<std::vector<Bits>> inputs{{0, 0, 1, 1}, {0, 1, 0, 1}};
  struct Combination {
    std::string modifier, operand;
    bool (*joined)(bool, bool);
  };
  const std::vector<Combination> all{{".and", "%p1", [](bool x, bool c) { return x && c; }},
                                     {".or", "%p1", [](bool x, bool c) { return x || c; }},
                                     {".xor", "%p1", [](bool x, bool c) { return x != c; }},
                                     {".and", "!%p1", [](bool x, bool c) { return x && !c; }},
                                     {".xor", "!%p1", [](bool x, bool c) { return x == c; }}};
  for (const auto& [modifier, operand, joined] : all) {
    const auto results = in_lanes("setp.ne.u32 %p1, %r1, 0; setp.eq" + modifier + ".s32 %p2|%p3, %r0, 1, " + operand +
                                      "; selp.b32 %r8, 1, 0, %p2; selp.b32 %r9, 2, 0, %p3; or.b32 %r9, %r8, %r9;",
                                  "%r9", 32, inputs);
    for (std::size_t i = 0; i < 4; ++i) {
      const bool x = inputs[0][i] == 1, c = inputs[1][i] != 0;
      EXPECT_EQ(results[i], (joined(x, c) ? 1U : 0U) + (joined(!x, c) ? 2U : 0U)) << modifier << operand << i;
    }
  }
}

TEST(EmulatedComparison, PredicateLogic) {
  const std::vector<std::vector<Bits>> inputs{{0, 0, 1, 1}, {0, 1, 0, 1}};
  const auto results = in_lanes(
      "setp.ne.u32 %p1, %r0, 0; setp.ne.u32 %p2, %r1, 0; and.pred %p3, %p1, %p2; or.pred %p4, %p1, %p2; xor.pred %p5, "
      "%p1, %p2; "
      "not.pred %p6, %p1; selp.b32 %r3, 1, 0, %p3; selp.b32 %r4, 2, 0, %p4; selp.b32 %r5, 4, 0, %p5; selp.b32 %r6, 8, "
      "0, %p6; "
      "add.u32 %r9, %r3, %r4; add.u32 %r9, %r9, %r5; add.u32 %r9, %r9, %r6;",
      "%r9", 32, inputs);
  EXPECT_EQ((std::vector<Bits>{results.begin(), results.begin() + 4}), (std::vector<Bits>{8, 2 + 4 + 8, 2 + 4, 1 + 2}));
}

TEST(EmulatedComparison, PairsGiveTwoPredicates) {
  const auto results = in_lanes(
      "setp.lt.f16x2 %p1|%p2, %r0, %r1; selp.b32 %r8, 1, 0, %p1; selp.b32 %r9, 2, 0, %p2; or.b32 %r9, %r8, %r9;", "%r9",
      32, {{0x3c004000, 0x40003c00, 0x7e003c00}, {0x40003c00, 0x3c004000, 0x7e004000}});
  EXPECT_EQ((std::vector<Bits>{results.begin(), results.begin() + 3}), (std::vector<Bits>{2, 1, 1}));
}

TEST(EmulatedComparison, SetAndSelect) {
  expect_results({
      {"set.lt.u32.s32", "rrr", {{{all32, 1}, all32}, {{1, 1}, 0}}},
      {"set.gt.f32.f32", "rff", {{{two, one}, one}, {{one, two}, 0}}},
      {"set.eq.f16x2.f16x2", "rrr", {{{0x3c004000, 0x3c003c00}, 0x3c000000}, {{0, 0}, 0x3c003c00}}},
      {"set.ne.u32.bf16x2", "rrr", {{{0x3f804000, 0x3f803f80}, 0x0000ffff}}},
      {"slct.b32.s32", "rrrr", {{{5, 6, 0}, 5}, {{5, 6, all32}, 6}}},
      {"slct.u64.f32", "wwwf", {{{5, 6, sign32}, 5}, {{5, 6, sign32 | 1}, 6}, {{5, 6, nan32}, 6}}},
      {"slct.ftz.u32.f32", "rrrf", {{{5, 6, sign32 | 1}, 5}}},
  });
}

}  // namespace
}  // namespace gable::emulated
