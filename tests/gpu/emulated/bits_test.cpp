#include "tests/gpu/emulated/instruction_table.hpp"

namespace gable::emulated {
namespace {

constexpr Bits all32 = 0xffffffff, all64 = ~Bits{0}, sign64 = 0x8000000000000000;

TEST(EmulatedBits, Logic) {
  expect_results({
      {"and.b32", "rrr", {{{0xff00ff00, 0x0ff00ff0}, 0x0f000f00}}},
      {"or.b64", "www", {{{sign64, 1}, sign64 | 1}}},
      {"xor.b16", "hhh", {{{0xffff, 0x0ff0}, 0xf00f}}},
      {"not.b16", "hh", {{{0x00ff}, 0xff00}}},
      {"not.b64", "ww", {{{0}, all64}}},
      {"cnot.b32", "rr", {{{0}, 1}, {{5}, 0}}},
      {"lop3.b32", "rrrr", {{{0xf0, 0xcc, 0xaa}, 0x96}}, ", 0x96"},  // a ^ b ^ c
      {"lop3.b32", "rrrr", {{{0xf0, 0xcc, 0xaa}, 0xca}}, ", 0xCA"},  // a ? b : c
      {"lop3.b32", "rrrr", {{{0xf0, 0xcc, 0xaa}, all32}}, ", 0xFF"},
  });
}

TEST(EmulatedBits, Shifts) {
  expect_results({
      {"shl.b32", "rrr", {{{1, 31}, 0x80000000}, {{1, 32}, 0}, {{1, all32}, 0}, {{0x80000001, 1}, 2}}},
      {"shl.b16", "hhr", {{{0x8001, 1}, 2}, {{1, 16}, 0}}},
      {"shl.b64", "wwr", {{{1, 63}, sign64}, {{1, 64}, 0}}},
      {"shr.u32", "rrr", {{{0x80000000, 31}, 1}, {{0x80000000, 32}, 0}}},
      {"shr.s32", "rrr", {{{0x80000000, 31}, all32}, {{0x80000000, 99}, all32}, {{0x40000000, 99}, 0}}},
      {"shr.s16", "hhr", {{{0x8000, 4}, 0xf800}}},
      {"shr.s64", "wwr", {{{sign64, 64}, all64}, {{sign64, 4}, 0xf800000000000000}}},
      {"shr.b64", "wwr", {{{sign64, 63}, 1}}},
      {"shf.l.wrap.b32", "rrrr", {{{0x80000000, 1, 1}, 3}, {{7, 9, 32}, 9}}},
      {"shf.l.clamp.b32", "rrrr", {{{7, 9, 40}, 7}}},
      {"shf.r.wrap.b32", "rrrr", {{{2, 1, 1}, 0x80000001}, {{7, 9, 33}, 0x80000003}}},
      {"shf.r.clamp.b32", "rrrr", {{{7, 9, 33}, 9}}},
  });
}

TEST(EmulatedBits, FieldsAndMasks) {
  expect_results({
      {"bfe.u32",
       "rrrr",
       {{{0x12345678, 8, 8}, 0x56}, {{0x12345678, 28, 8}, 1}, {{all32, 5, 0}, 0}, {{all32, 40, 4}, 0}}},
      {"bfe.s32",
       "rrrr",
       {{{0x0000f000, 12, 4}, all32},
        {{0x7000, 12, 4}, 7},
        {{0x80000000, 28, 8}, 0xfffffff8},
        {{0x80000000, 40, 4}, all32}}},
      {"bfe.u64", "wwrr", {{{0x123456789abcdef0, 32, 16}, 0x5678}, {{all64, 0, 64}, all64}}},
      {"bfe.s64", "wwrr", {{{sign64, 60, 4}, 0xfffffffffffffff8}}},
      {"bfi.b32",
       "rrrrr",
       {{{0xab, 0, 8, 8}, 0xab00},
        {{0xff, 0x12345678, 4, 4}, 0x123456f8},
        {{all32, 5, 0, 0}, 5},
        {{all32, 0, 28, 8}, 0xf0000000}}},
      {"bfi.b64", "wwwrr", {{{all64, 0, 32, 8}, 0xff00000000}}},
      {"bmsk.clamp.b32", "rrr", {{{4, 8}, 0xff0}, {{32, 4}, 0}, {{0, 32}, all32}, {{28, 8}, 0xf0000000}}},
      {"bmsk.wrap.b32", "rrr", {{{36, 8}, 0xff0}, {{0, 32}, 0}}},
      {"szext.clamp.s32", "rrr", {{{0x80, 8}, 0xffffff80}, {{0x180, 40}, 0x180}, {{5, 0}, 0}}},
      {"szext.wrap.u32", "rrr", {{{0x180, 8}, 0x80}, {{0x180, 40}, 0x80}}},
  });
}

TEST(EmulatedBits, Counts) {
  expect_results({
      {"popc.b32", "rr", {{{all32}, 32}, {{0}, 0}, {{0x11}, 2}}},
      {"popc.b64", "rw", {{{all64}, 64}}},
      {"clz.b32", "rr", {{{0}, 32}, {{1}, 31}, {{all32}, 0}}},
      {"clz.b64", "rw", {{{0}, 64}, {{1}, 63}}},
      {"brev.b32", "rr", {{{1}, 0x80000000}, {{0x12345678}, 0x1e6a2c48}}},
      {"brev.b64", "ww", {{{3}, 0xc000000000000000}}},
      {"bfind.u32", "rr", {{{0}, all32}, {{0x80000000}, 31}, {{5}, 2}}},
      {"bfind.s32", "rr", {{{all32}, all32}, {{0xfffffff0}, 3}, {{5}, 2}}},
      {"bfind.shiftamt.u32", "rr", {{{5}, 29}, {{0}, all32}}},
      {"bfind.u64", "rw", {{{sign64}, 63}}},
      {"fns.b32",
       "rrrr",
       {{{0xb1, 0, 3}, 5},
        {{0xb1, 7, all32}, 7},
        {{0xb1, 6, all32 - 1}, 4},
        {{0xb1, 1, 0}, all32},
        {{0xb1, 4, 0}, 4},
        {{0xb1, 6, 9}, all32}}},
  });
}

/// Bytes 0 to 3 of a are 0x00 to 0x33 and of b 0x44 to 0x77; the tables are those of the PTX ISA.
TEST(EmulatedBits, Permutations) {
  const Bits a = 0x33221100, b = 0x77665544;
  const auto cases = [=](const std::vector<Bits>& results) {
    std::vector<Case> all;
    for (Bits selector = 0; selector < results.size(); ++selector) all.push_back({{a, b, selector}, results[selector]});
    return all;
  };
  expect_results({
      {"prmt.b32", "rrrr", {{{a, b, 0x3210}, a}, {{a, b, 0x7531}, 0x77553311}, {{0x8000, 0x7f, 0xc9d8}, 0x00ff0000}}},
      {"prmt.b32.f4e", "rrrr", cases({0x33221100, 0x44332211, 0x55443322, 0x66554433})},
      {"prmt.b32.b4e", "rrrr", cases({0x55667700, 0x66770011, 0x77001122, 0x00112233})},
      {"prmt.b32.rc8", "rrrr", cases({0, 0x11111111, 0x22222222, 0x33333333})},
      {"prmt.b32.ecl", "rrrr", cases({0x33221100, 0x33221111, 0x33222222, 0x33333333})},
      {"prmt.b32.ecr", "rrrr", cases({0, 0x11111100, 0x22221100, 0x33221100})},
      {"prmt.b32.rc16", "rrrr", cases({0x11001100, 0x33223322, 0x11001100, 0x33223322})},
  });
}

}  // namespace
}  // namespace gable::emulated
