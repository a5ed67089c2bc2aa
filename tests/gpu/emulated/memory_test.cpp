#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/gpu/emulated/machine/bits.hpp"
#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {
namespace {

/// A kernel whose thread i works at byte 16 i of its one buffer and of shared memory.
PtxKernel memory_kernel(const std::string& statements, std::uint32_t threads = 32) {
  return {"add.s64 %b0, %b0, %o16;\nmov.u64 %rd100, memory;\nadd.s64 %rd100, %rd100, %o16;\n" + statements,
          ".shared .align 16 .b8 memory[1024]; .const .align 8 .u32 table[4] = {1, 2, 3, 8};", threads};
}

TEST(Loads, ExtendWhatTheyReadToTheRegister) {
  struct Case {
    std::string load, result;
    int bits;
    std::uint64_t expected;
  };
  const std::uint64_t memory = 0x8182838485868788U;
  const Case cases[] = {{"ld.global.u8 %r1, [%b0];", "%r1", 32, 0x88},
                        {"ld.global.s8 %r1, [%b0+1];", "%r1", 32, 0xffffff87},
                        {"ld.global.s8 %rd1, [%b0+2];", "%rd1", 64, 0xffffffffffffff86},
                        {"ld.global.s8 %h1, [%b0+7];", "%h1", 16, 0xff81},
                        {"ld.global.u16 %r1, [%b0+2];", "%r1", 32, 0x8586},
                        {"ld.global.s16 %r1, [%b0+6];", "%r1", 32, 0xffff8182},
                        {"ld.global.b32 %r1, [%b0+4];", "%r1", 32, 0x81828384},
                        {"ld.global.s32 %rd1, [%b0];", "%rd1", 64, 0xffffffff85868788},
                        {"ld.global.nc.L1::no_allocate.L2::128B.f32 %r1, [%b0];", "%r1", 32, 0x85868788},
                        {"ld.volatile.global.b64 %rd1, [%b0];", "%rd1", 64, memory},
                        {"ld.relaxed.gpu.global.u32 %r1, [%b0];", "%r1", 32, 0x85868788},
                        {"ld.u32 %r1, [%b0+4];", "%r1", 32, 0x81828384},
                        {"ld.global.v2.u16 {%r2, %r1}, [%b0+4];", "%r1", 32, 0x8182},
                        {"ld.global.v4.s8 {_, %r2, _, %r1}, [%b0+4];", "%r1", 32, 0xffffff81}};
  for (const Case& one : cases) {
    std::vector<std::uint64_t> in(1, memory), out(1);
    PtxKernel{one.load + " st.global.b" + std::to_string(one.bits) + " [%b1], " + one.result + ";", "", 1}.run(in, out);
    EXPECT_EQ(out[0], one.expected) << one.load;
  }
}

TEST(Stores, WriteTheElementsOfVectorsOneBehindTheOther) {
  Words memory(128, 7);
  memory_kernel(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, 258; st.global.v4.u32 [%b0], {%r1, %r2, 5, %r1};"
      "st.global.v2.u8 [%b0+2], {%r2, 9};")
      .run(memory);
  for (std::uint32_t i = 0; i < 32; ++i) {
    const Words found(memory.begin() + 4 * i, memory.begin() + 4 * i + 4);
    EXPECT_EQ(found, (Words{i | 2U << 16 | 9U << 24, 258, 5, i}));
  }
}

TEST(Memory, IsAccessedByLanesInAnyOrder) {
  const std::pair<std::string, std::uint32_t (*)(std::uint32_t)> orders[] = {
      {"mov.u64 %rd1, %o1;", [](std::uint32_t lane) { return lane; }},
      {"mov.u64 %rd1, 30;", [](std::uint32_t) { return 30U; }},
      {"shr.u64 %rd1, %o1, 2;", [](std::uint32_t lane) { return lane / 4; }},
      {"xor.b64 %rd1, %o1, 21;", [](std::uint32_t lane) { return lane ^ 21U; }}};
  for (const auto& [order, of_lane] : orders) {
    Words in(32), out(32), some(32);
    for (std::uint32_t i = 0; i < 32; ++i) in[i] = 100 + i;
    PtxKernel{order + R"(shl.b64 %rd1, %rd1, 2; add.s64 %b0, %b0, %rd1; ld.global.u32 %r1, [%b0];
        mov.u64 %rd2, memory; add.s64 %rd3, %rd2, %o4; st.shared.u32 [%rd3], %r1; bar.warp.sync -1;
        add.s64 %rd2, %rd2, %rd1;
        mov.u32 %r2, 7; and.b64 %rd4, %o1, 1; setp.eq.u64 %p1, %rd4, 0; @%p1 ld.shared.u32 %r2, [%rd2];
        add.s64 %b1, %b1, %o4; st.global.u32 [%b1], %r1; add.s64 %b2, %b2, %o4; st.global.u32 [%b2], %r2;)",
              ".shared .align 16 .b8 memory[128];"}
        .run(in, out, some);
    for (std::uint32_t i = 0; i < 32; ++i) {
      EXPECT_EQ(out[i], 100 + of_lane(i)) << order;
      EXPECT_EQ(some[i], i % 2 == 0 ? 100 + of_lane(of_lane(i)) : 7) << order;
    }
  }
}

TEST(Memory, OfEverySpaceIsReadByGenericAddresses) {
  const std::pair<std::string, Words> cases[] = {
      {"st.shared.v2.u32 [%rd100+8], {%r1, 4}; cvta.shared.u64 %rd1, %rd100;", {31, 4}},
      {".local .align 16 .b8 own[16]; mov.u64 %rd1, own; st.local.v2.u32 [%rd1+8], {5, %r1};", {5, 31}},
      {"mov.u64 %rd1, table;", {3, 8}}};
  for (const auto& [text, expected] : cases) {
    Words memory(128, 0);
    const PtxKernel generic =
        memory_kernel("mov.u32 %r1, %tid.x;" + text + "ld.v2.u32 {%r2, %r3}, [%rd1+8]; st.v2.u32 [%b0], {%r2, %r3};");
    generic.run(memory);
    EXPECT_EQ(Words(memory.end() - 4, memory.end() - 2), expected) << text;
  }
}

TEST(Memory, IsUsedInItsBoundsAndAligned) {
  struct Case {
    std::string text, right, wrong, words;
  };
  const std::string in_shared = "cvta.shared.u64 %rd9, memory;", last = "setp.eq.u64 %p1, %o1, 31;";
  const std::string own = ".local .align 16 .b8 own[16]; mov.u64 %rd9, own;";
  const Case cases[] = {
      {"ld.global.u32 %r1, [%b0+AT];", "12", "16", "0 bytes behind the end of the allocation of 512"},
      {"st.global.u8 [%b0+AT], 1;", "15", "-1", "1 bytes before the allocation of 512 bytes at 0x"},
      {"ld.global.u16 %r1, [%b0+AT];", "2", "1", "2 bytes at 0x"},
      {"ld.global.v2.f32 {%f1, %f2}, [%b0+AT];", "8", "4", "are misaligned"},
      {"st.v4.f32 [%b0+AT], {%f1, %f1, %f1, %f1};", "0", "8", "are misaligned"},
      {"ld.shared.u32 %r1, [%rd100+AT];", "524", "528", "bytes from offset 1024 on are out of the"},
      {"st.shared.u64 [%rd100+AT], 1;", "8", "12", "are misaligned"},
      {"atom.global.add.u32 %r1, [%b0+AT], 1;", "0", "512", "lie in no allocation"},
      {"red.global.add.u64 [%b0+AT], 1;", "0", "4", "are misaligned"},
      {"ld.global.u32 %r1, [AT];", "%b0", "8", "4 bytes at 0x8 lie in no allocation"},
      {in_shared + "ld.AT.u32 %r1, [%rd9];", "ca", "global", "lie in no allocation"},
      {in_shared + "atom.AT.add.u32 %r1, [%rd9], 1;", "cta", "global", "lie in no allocation"},
      {own + "st.AT.u32 [%rd9], 1;", "local", "global", "lie in no allocation"},
      {own + "st.local.u32 [%rd9+AT], 1;", "12", "16", "lie in another state space"},
      {own + "ld.u32 %r1, [%rd9+AT];", "12", "16", "lie in no allocation"},
      {"ld.AT.u32 %r1, [%b0];", "global", "const", "lie in another state space"},
      {"ld.AT.u32 %r1, [table];", "const", "global", "lie in no allocation"},
      {"mov.u64 %rd9, table; AT.u32 [%rd9], %r1;", "red.shared.add.u32 [memory], 1; // ", "st", "lie in"},
      {"st.AT.u32 [%b0], 1;", "global", "const", "what is not written"},
      {last + "@%p1 add.s64 %b0, %b0, AT; ld.global.u32 %r1, [%b0];", "12", "16", "0 bytes behind"},
      {"ld.global.AT %rd1, [%b0];", "b64", "b128", "unknown instruction"},
      {"ld.AT.u32 %r1, [%b0];", "ca", "async", ".async is not emulated here"}};
  for (const Case& one : cases) {
    Words memory(128);
    EXPECT_EQ(memory_kernel(one.text).with("AT", one.right).failure(memory), "");
    const std::string found = memory_kernel(one.text).with("AT", one.wrong).failure(memory);
    EXPECT_TRUE(holds(found, one.words)) << one.text << " " << found;
  }
}

TEST(Memory, GuardZonesTellOfWritesOutsideOfAllocations) {
  const auto failure = [](const auto& check) -> std::string {
    try {
      check();
    } catch (const EmulationError& error) {
      return error.what();
    }
    return "";
  };
  const std::size_t before = allocated_bytes();
  for (const auto& [at, where] : {std::pair{-256, "256 bytes before the beginning of"},
                                  {-1, "1 bytes before the beginning of"},
                                  {10, "0 bytes behind the end of"},
                                  {265, "255 bytes behind the end of"}}) {
    std::byte* memory = allocate(10);
    EXPECT_EQ(allocated_bytes(), before + 10);
    memory[0] = memory[9] = std::byte{1};
    EXPECT_EQ(failure(check_guard_zones), "");
    memory[at] = std::byte{1};
    EXPECT_TRUE(holds(failure(check_guard_zones), where)) << where;
    EXPECT_TRUE(holds(failure([&] { release(memory); }), where)) << where;
    EXPECT_FALSE(is_allocated(reinterpret_cast<std::uint64_t>(memory), 1));
    EXPECT_FALSE(release(memory));
  }
  EXPECT_EQ(allocated_bytes(), before);
}

TEST(Memory, OfOthersIsAccessibleUntilItIsForgotten) {
  const std::uint32_t variable = 6;
  const auto address = reinterpret_cast<std::uint64_t>(&variable);
  remember(&variable, 4);
  EXPECT_TRUE(is_allocated(address, 4) && !is_allocated(address, 5) && !is_allocated(address + 2, 4));
  EXPECT_FALSE(release(&variable));
  forget(&variable);
  EXPECT_FALSE(is_allocated(address, 4));
}

TEST(Atomics, CombineWhatIsThereWithTheirOperand) {
  struct Case {
    std::string operation;
    std::uint64_t old, value, expected;
    int bits;
  };
  const auto f32 = [](float x) { return bits_of(x); };
  const auto f64 = [](double x) { return bits_of(x); };
  const Case cases[] = {{"add.u32", 0xffffffff, 3, 2, 32},
                        {"add.relaxed.gpu.s32", 0xffffffff, 3, 2, 32},
                        {"add.u64", 0xffffffff, 3, 0x100000002, 64},
                        {"exch.b32", 12, 10, 10, 32},
                        {"add.f32", f32(1.5F), f32(0.1F), f32(1.5F + 0.1F), 32},
                        {"add.f64", f64(1.5), f64(0.1), f64(1.5 + 0.1), 64}};
  for (const std::string place : {"global:[%b1]", "shared:[%rd9]", ":[%b1]"}) {
    const auto colon = place.find(':');
    const std::string at = place.substr(colon + 1), space = colon == 0 ? "" : "." + place.substr(0, colon);
    for (const Case& one : cases) {
      const std::string operands = one.bits == 64 ? " %rd2, " + at + ", %rd1;" : " %r2, " + at + ", %r1;";
      const std::string text = ".shared .align 8 .b8 memory[256]; mov.u64 %rd9, memory; add.s64 %rd9, %rd9, %o8; st" +
                               space + ".b64 " + at + ", %rd0; atom" + space + "." + one.operation + operands;
      const std::vector<std::vector<std::uint64_t>> in{{one.old}, {one.value}};
      EXPECT_EQ(in_lanes(text + "ld" + space + ".b64 %rd3, " + at + ";", "%rd3", 64, in)[0], one.expected) << text;
      EXPECT_EQ(in_lanes(text, one.bits == 64 ? "%rd2" : "%r2", one.bits, in)[0], one.old) << "returns what was there";
    }
  }
}

TEST(Atomics, OfManyLanesEachTakePart) {
  Words memory(128, 0);
  const PtxKernel counting{
      "atom.global.add.u32 %r1, [%b0], 1; red.global.add.u32 [%b0+4], %r1;"
      "atom.relaxed.gpu.global.cas.b32 %r2, [%b0+8], 0, 5; setp.ne.u32 %p1, %r2, 0;"
      "@%p1 red.global.add.u32 [%b0+12], %r2;",
      "", 96};
  counting.run(memory);
  EXPECT_EQ(memory[0], 96U);
  EXPECT_EQ(memory[1], 95U * 96U / 2);
  EXPECT_EQ(memory[2], 5U) << "the first lane swapped";
  EXPECT_EQ(memory[3], 95U * 5U) << "and the others saw its value";
  EXPECT_TRUE(holds(counting.with("red.global.add.u32 [%b0+4]", "red.global.inc.u32 [%b0+4]").failure(memory),
                    ".inc is not emulated here"));
}

/// Lanes of one warp run on their own: only where they meet are they ordered.
TEST(Barriers, OrderWhatLanesDoToSharedMemory) {
  const std::string store = "st.shared.u32 [%rd100], 1;", load = "ld.shared.u32 %r2, [%rd1];";
  const std::string count = "red.shared.add.u32 [memory], 1;", first = "ld.shared.u32 %r2, [memory];";
  const std::string rows = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1];";
  const std::string copy = "cp.async.ca.shared.global [%rd100], [%b0], 4; cp.async.wait_all;";
  const std::string generic = "cvta.shared.u64 %rd2, %rd100; st.u32 [%rd2], 1;", own = "ld.shared.u32 %r2, [%rd100];";
  const std::pair<std::string, std::string> conflicts[] = {{store, load},   {load, store}, {count, first}, {copy, load},
                                                           {generic, load}, {store, rows}, {rows, store}},
                                            ordered[] = {{load, load}, {store, own}, {count, count}};
  const auto failure = [](const std::string& text) {
    Words memory(128);
    return memory_kernel("cvt.u32.u64 %r1, %rd100; xor.b64 %rd1, %rd100, 16;" + text).failure(memory);
  };
  for (const auto& [before, behind] : conflicts) {
    for (const std::string mean : {"", "membar.cta;", "shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;"}) {
      EXPECT_TRUE(holds(failure(before + mean + behind), "no barrier lies in between (bar.warp.sync)"))
          << before + behind;
    }
    for (const std::string mean : {"bar.warp.sync -1;", "bar.sync 0;"}) EXPECT_EQ(failure(before + mean + behind), "");
  }
  for (const auto& [before, behind] : ordered) EXPECT_EQ(failure(before + behind), "");
  for (const std::string place : {"shared.u32 [memory]", "global.u32 [%rd3]"}) {
    const std::string same = "ld.param.u64 %rd3, [buffer_0]; st." + place;
    EXPECT_EQ(failure(same + ", 5;"), "");
    EXPECT_TRUE(holds(failure(same + ", %r1;"), "lanes write different values to one place"));
  }
}

}  // namespace
}  // namespace gable::emulated
