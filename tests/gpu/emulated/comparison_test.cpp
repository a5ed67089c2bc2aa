#include <cmath>

#include "tests/gpu/emulated/instruction_table.hpp"

namespace gable::emulated {
namespace {

TEST(EmulatedComparison, OrderOfNumbers) {
  const auto cases = [](Bits less, Bits equal, Bits greater, Bits unordered) {
    return std::vector<Case>{{{one, two}, less},        {{one, one}, equal},       {{two, one}, greater},
                             {{nan32, one}, unordered}, {{one, nan32}, unordered}, {{0, sign32}, equal},
                             {{bits32(-1), one}, less}, {{1, 0}, greater}};
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
      {"setp.le.u64", "pww", {{{1, all64}, 1}, {{2, 1}, 0}}},
      {"setp.gt.s16", "phh", {{{0x8000, 1}, 0}, {{0x7fff, 1}, 1}}},
      {"setp.ne.b64", "pww", {{{1, Bits{1} << 32 | 1}, 1}, {{1, 1}, 0}}},
      {"setp.lt.f64", "pdd", {{{bits64(1), bits64(1 + 0x1p-52)}, 1}, {{bits64(NAN), 0}, 0}}},
      {"setp.lt.f16", "phh", {{{0xbc00, 0x3c00}, 1}, {{0x7e00, 0}, 0}, {{1, 2}, 1}}},
      {"setp.geu.bf16", "phh", {{{0x3f80, 0xbf80}, 1}, {{0x7fc0, 0}, 1}}},
  });
}

TEST(EmulatedComparison, PredicateLogic) {
  const std::string predicates = "setp.ne.u32 %p1, %r0, 0; setp.ne.u32 %p2, %r1, 0;",
                    select = "selp.b32 %r9, 1, 0, %p3;";
  const std::vector<std::pair<std::string, std::vector<Bits>>> all{{"and.pred %p3, %p1, %p2;", {0, 0, 0, 1}},
                                                                   {"or.pred %p3, %p1, %p2;", {0, 1, 1, 1}},
                                                                   {"xor.pred %p3, %p1, %p2;", {0, 1, 1, 0}},
                                                                   {"not.pred %p3, %p1;", {1, 1, 0, 0}}};
  for (const auto& [logic, expected] : all) {
    auto results = in_lanes(predicates + logic + select, "%r9", 32, {{0, 0, 1, 1}, {0, 1, 0, 1}});
    results.resize(4);
    EXPECT_EQ(results, expected) << logic;
  }
}

}  // namespace
}  // namespace gable::emulated
