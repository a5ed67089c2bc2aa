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
      {"lop3.b32", "rrrr", {{{0xf0, 0xcc, 0xaa}, 0x96}}, ", 0x96"},  // a ^ b ^ c
      {"lop3.b32", "rrrr", {{{0xf0, 0xcc, 0xaa}, 0xca}}, ", 0xCA"},  // a ? b : c
      {"lop3.b32", "rrrr", {{{0xf0, 0xcc, 0xaa}, all32}}, ", 0xFF"},
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
      {"shf.l.wrap.b32", "rrrr", {{{sign32, 1, 1}, 3}, {{7, 9, 32}, 9}}},
      {"shf.l.clamp.b32", "rrrr", {{{7, 9, 40}, 7}}},
      {"shf.r.wrap.b32", "rrrr", {{{2, 1, 1}, 0x80000001}, {{7, 9, 33}, 0x80000003}}},
      {"shf.r.clamp.b32", "rrrr", {{{7, 9, 33}, 9}}},
  });
}

/// Bytes 0 to 3 of a are 0x00 to 0x33 and of b 0x44 to 0x77.
TEST(EmulatedBits, FieldsAndBytes) {
  const Bits a = 0x33221100, b = 0x77665544, x = 0x12345678;
  expect_results({
      {"bfe.u32", "rrrr", {{{x, 8, 8}, 0x56}, {{x, 28, 8}, 1}, {{all32, 5, 0}, 0}, {{all32, 40, 4}, 0}}},
      {"bfe.s32", "rrrr", {{{0xf000, 12, 4}, all32}, {{0x7000, 12, 4}, 7}}},
      {"bfe.s32", "rrrr", {{{sign32, 28, 8}, 0xfffffff8}, {{sign32, 40, 4}, all32}}},
      {"bfe.u64", "wwrr", {{{0x123456789abcdef0, 32, 16}, 0x5678}, {{all64, 0, 64}, all64}}},
      {"bfe.s64", "wwrr", {{{sign64, 60, 4}, 0xfffffffffffffff8}}},
      {"bfi.b32", "rrrrr", {{{0xab, 0, 8, 8}, 0xab00}, {{0xff, x, 4, 4}, 0x123456f8}}},
      {"bfi.b32", "rrrrr", {{{all32, 5, 0, 0}, 5}, {{all32, 0, 28, 8}, 0xf0000000}, {{x, 0, 0, 32}, x}}},
      {"bfi.b64", "wwwrr", {{{all64, 0, 32, 8}, 0xff00000000}}},
      {"prmt.b32", "rrrr", {{{a, b, 0x3210}, a}, {{a, b, 0x7531}, 0x77553311}, {{0x8000, 0x7f, 0xc9d8}, 0xff0000}}},
  });
}

TEST(EmulatedBits, Counts) {
  expect_results({
      {"popc.b32", "rr", {{{all32}, 32}, {{0}, 0}, {{0x11}, 2}}},
      {"popc.b64", "rw", {{{all64}, 64}}},
      {"clz.b32", "rr", {{{0}, 32}, {{1}, 31}, {{all32}, 0}}},
      {"clz.b64", "rw", {{{0}, 64}, {{1}, 63}}},
      {"brev.b32", "rr", {{{1}, sign32}, {{0x12345678}, 0x1e6a2c48}}},
      {"brev.b64", "ww", {{{3}, 0xc000000000000000}}},
      {"bfind.u32", "rr", {{{0}, all32}, {{sign32}, 31}, {{5}, 2}}},
      {"bfind.s32", "rr", {{{all32}, all32}, {{0xfffffff0}, 3}, {{5}, 2}}},
      {"bfind.shiftamt.u32", "rr", {{{5}, 29}, {{0}, all32}}},
      {"bfind.u64", "rw", {{{sign64}, 63}}},
  });
}

}  // namespace
}  // namespace gable::emulated
