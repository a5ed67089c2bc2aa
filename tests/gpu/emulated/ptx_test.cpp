#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/gpu/emulated/ptx/operands.hpp"
#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {
namespace {

using Strings = std::vector<std::string>;

TEST(Ptx, StatementsAreTakenApart) {
  const Statement load = read_statement(" @!%p1 ld.global.v2.u32\t{%r1, %r2}, [%rd1+8] ");
  EXPECT_EQ(load.guard, "%p1");
  EXPECT_TRUE(load.guard_negated);
  EXPECT_EQ(load.name, "ld");
  EXPECT_EQ(load.modifiers, (Strings{"global", "v2", "u32"}));
  EXPECT_EQ(load.operands, (Strings{"{%r1, %r2}", "[%rd1+8]"}));
  EXPECT_EQ(load.type().bits, 32);
  EXPECT_TRUE(load.has("v2"));
  EXPECT_FALSE(load.has("v4"));
  EXPECT_THROW(load.operand(2), EmulationError);
  const Statement call = read_statement("call.uni (r0), f, (p0, p1)");
  EXPECT_EQ(call.operands, (Strings{"(r0)", "f", "(p0, p1)"}));
  EXPECT_EQ(read_statement("fence.proxy.async.shared::cta").modifiers, (Strings{"proxy", "async", "shared::cta"}));
  EXPECT_EQ(read_statement("cvt.rn.bf16x2.f32 %r1, %f1, %f2").types().size(), 2U);
  for (const char* wrong : {"", "@%p1", "@ bra x", "%r1", "[x]"}) EXPECT_THROW(read_statement(wrong), EmulationError);
}

TEST(Ptx, LiteralsHaveTheirBits) {
  const char* const texts[] = {"0",    "42", "-1",  "0f3F800000", "0d3FF0000000000000",
                               "0x1F", "7U", "0F0", "0D1",        "18446744073709551615"};
  const std::uint64_t bits[] = {0, 42, ~0ULL, 0x3f800000, 0x3ff0000000000000, 31, 7, 0, 1, ~0ULL};
  for (std::size_t i = 0; i < std::size(bits); ++i) EXPECT_EQ(literal(texts[i]), bits[i]) << texts[i];
  for (const char* wrong : {"", "-", "x", "1x", "017", "0f", "0x", "1.5", "%r1", "18446744073709551616"}) {
    EXPECT_FALSE(literal(wrong)) << wrong;
  }
}

TEST(Ptx, TypesHaveTheirKindAndSize) {
  EXPECT_TRUE(type_of("s64").is_signed() && !type_of("u64").is_signed());
  EXPECT_EQ(type_of("u8").bits, 8);
  EXPECT_TRUE(type_of("bf16x2").is_small_float() && type_of("bf16x2").bfloat && !type_of("f16").bfloat);
  EXPECT_EQ(type_of("f16x2").register_bits(), 32);
  EXPECT_TRUE(type_of("tf32").is_floating() && !type_of("f32").is_small_float());
  for (const char* none : {"rn", "sync", "shared", "b", "x4"}) EXPECT_EQ(type_of(none).kind, Type::Kind::none) << none;
}

TEST(Ptx, ModulesHaveVariablesAndKernels) {
  const Module module(R"(
    .version 9.0 // a comment; with {
    .target sm_90a, debug
    .global .align 4 .b8 bytes[4] = {1, 2, 0xff};
    .const .u64 place;
    .shared .align 16 .b8 own[48];
    .extern .shared .align 1024 .b8 dynamic[];
    .section .debug_str { .b8 65 }
    .func (.param .b64 r) twice(.param .b32 x) { ret; }
    .visible .entry k(.param .u8 a, .param .u64 .ptr .align 16 b, .param .align 16 .b8 c[20], .param .f32 d)
    .maxntid 16, 8, 1
    .minnctapersm 1
    { .pragma "nounroll"; ret; }
    .entry plain() { ret; })");
  const Variable& bytes = module.variables.at("bytes");
  EXPECT_EQ(std::memcmp(bytes.storage, "\x01\x02\xff\x00", 4), 0);
  EXPECT_TRUE(is_allocated(reinterpret_cast<std::uint64_t>(bytes.storage), 4));
  EXPECT_EQ(module.variables.at("place").size, 8U);
  const Variable &own = module.variables.at("own"), &dynamic = module.variables.at("dynamic");
  EXPECT_TRUE(own.shared && !own.is_dynamic() && own.size == 48 && dynamic.is_dynamic() && dynamic.alignment == 1024);
  const Function& kernel = *module.functions.at("k");
  EXPECT_EQ(kernel.max_threads, 128U);
  EXPECT_EQ(module.functions.at("plain")->max_threads, 1024U);
  EXPECT_EQ(kernel.parameter_bytes, 40U);
  const std::vector<std::uint64_t> offsets{0, 8, 16, 36};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(kernel.parameters.at(i).offset, offsets[i]) << i;
}

TEST(Ptx, WhatIsUnknownIsQuoted) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"frobnicate.u32 %r1, %r2;", "unknown instruction: frobnicate.u32 %r1, %r2"},
      {"mov.u32 %r1, %nobody;", "unknown name: %nobody"},
      {"bra nowhere;", "no label: bra nowhere"},
      {"again: mov.u32 %r1, 1; again: bra again;", "a second label again"},
      {"call f;", "unknown instruction: call f"},
      {".loc 1 2 3;", "unknown directive: .loc 1 2 3"},
      {"barrier.cluster.arrive.aligned;", ".cluster is not emulated here"},
      {"bar.arrive 1;", "the number of threads is missing"},
      {"mov.u32 5, %r1;", "the result goes into no register: mov.u32 5, %r1"},
      {"mov.u32 %r1", "no end: mov.u32 %r1"},
      {"ld.global.u32 %r1, %b0;", "no address: %b0"}};
  for (const auto& [statement, words] : wrong) {
    EXPECT_NE(PtxKernel{statement}.failure().find(words), std::string::npos) << PtxKernel{statement}.failure();
  }
  for (const char* source :
       {".global .u32 x = y;", ".global x;", ".extern .global .u32 x;", ".entry k() {", ".entry k {}",
        ".global .u8 x[1] = {1, 2};", ".global .u8 x = {y};", ".shared .u32 x; .shared .u32 x;"}) {
    EXPECT_THROW(Module{source}, EmulationError) << source;
  }
}

TEST(Ptx, NamesAreKnownInTheirBraces) {
  std::vector<std::uint32_t> out(3);
  PtxKernel kernel{R"(mov.u32 %r1, 1;
    { .reg .b32 %r1, inner<2>; mov.u32 %r1, 2; mov.u32 inner1, 3;
      st.global.u32 [%b0], %r1; st.global.u32 [%b0+4], inner1; }
    st.global.u32 [%b0+8], %r1;)"};
  kernel.threads = 1;
  kernel.run(out);
  EXPECT_EQ(out, (std::vector<std::uint32_t>{2, 3, 1}));
}

}  // namespace
}  // namespace gable::emulated
