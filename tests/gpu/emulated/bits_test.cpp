#include "tests/gpu/emulated/instruction_table.hpp"

namespace gable::emulated {
namespace {

TEST(EmulatedBits, Logic) {
  expect_results({
      {"and.b32", "rrr", {{{0xff00ff00, 0x0ff00ff0}, 0x0f000f00}}},
      {"or.b64", "www", {{{sign64, 1}, sign64 | 1}}},
      {"xor.b16", "hhh", {{{0xffff, 0x0ff0}, 0xf00f}}},
      {"not.b16", "hh", {{{0x00ff}, 0xff00}}},
      {"not.b64", "ww", {{{0}, all64}}},
  });
}

TEST(EmulatedBits, Shifts) {
  expect_results({
      {"shl.b32", "rrr", {{{1, 31}, sign32}, {{1, 32}, 0}, {{1, all32}, 0}, {{0x80000001, 1}, 2}}},
      {"shl.b16", "hhr", {{{0x8001, 1}, 2}, {{1, 16}, 0}}},
      {"shl.b64", "wwr", {{{1, 63}, sign64}, {{1, 64}, 0}}},
      {"shr.u32", "rrr", {{{sign32, 31}, 1}, {{sign32, 32}, 0}}},
      {"shr.s32", "rrr", {{{sign32, 31}, all32}, {{sign32, 99}, all32}, {{0x40000000, 99}, 0}}},
      {"shr.s16", "hhr", {{{0x8000, 4}, 0xf800}}},
      {"shr.s64", "wwr", {{{sign64, 64}, all64}, {{sign64, 4}, 0xf800000000000000}}},
      {"shr.b64", "wwr", {{{sign64, 63}, 1}}},
  });
}

/// Bytes 0 to 3 of a are 0x00 to 0x33 and of b 0x44 to 0x77.
TEST(EmulatedBits, FieldsBytesAndCounts) {
  const Bits a = 0x33221100, b = 0x77665544, x = 0x12345678;
  expect_results({
      {"bfe.u32", "rrrr", {{{x, 8, 8}, 0x56}, {{x, 28, 8}, 1}, {{all32, 5, 0}, 0}, {{all32, 40, 4}, 0}}},
      {"bfe.s32", "rrrr", {{{0x7000, 12, 4}, 7}, {{sign32, 28, 8}, 0xfffffff8}, {{sign32, 40, 4}, all32}}},
      {"bfi.b32", "rrrrr", {{{0xab, 0, 8, 8}, 0xab00}, {{0xff, x, 4, 4}, 0x123456f8}}},
      {"bfi.b32", "rrrrr", {{{all32, 5, 0, 0}, 5}, {{all32, 0, 28, 8}, 0xf0000000}, {{x, 0, 0, 32}, x}}},
      {"bfi.b64", "wwwrr", {{{all64, 0, 32, 8}, 0xff00000000}}},
      {"prmt.b32", "rrrr", {{{a, b, 0x3210}, a}, {{a, b, 0x7531}, 0x77553311}, {{0x8000, 0x7f, 0xc9d8}, 0xff0000}}},
      {"clz.b32", "rr", {{{0}, 32}, {{1}, 31}, {{all32}, 0}}},
      {"clz.b64", "rw", {{{0}, 64}, {{1}, 63}}},
  });
}

}  // namespace
}  // namespace gable::emulated
