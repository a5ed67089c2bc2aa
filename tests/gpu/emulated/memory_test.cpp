#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/gpu/emulated/machine/bits.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"
#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {
namespace {

using Words = std::vector<std::uint32_t>;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A kernel whose thread i works at byte 16 i of its one buffer and of shared memory.
PtxKernel kernel(const std::string& statements, std::uint32_t threads = 32) {
  return {"add.s64 %b0, %b0, %o16;\nmov.u64 %rd100, memory;\nadd.s64 %rd100, %rd100, %o16;\n" + statements,
          ".shared .align 16 .b8 memory[1024];", threads};
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
                        {"ldu.global.u32 %r1, [%b0];", "%r1", 32, 0x85868788},
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
  Words memory(128, 7), expected(128, 7);
  kernel("mov.u32 %r1, %tid.x; mov.u32 %r2, 258; st.global.v4.u32 [%b0], {%r1, %r2, 5, %r1};").run(memory);
  for (std::uint32_t i = 0; i < 32; ++i) {
    expected[4 * i] = expected[4 * i + 3] = i;
    expected[4 * i + 1] = 258;
    expected[4 * i + 2] = 5;
  }
  EXPECT_EQ(memory, expected);
  kernel("mov.u32 %r2, 258; st.global.v2.u8 [%b0+2], {%r2, 9};").run(memory);
  for (std::uint32_t i = 0; i < 32; ++i) expected[4 * i] = i | 2U << 16 | 9U << 24;
  EXPECT_EQ(memory, expected) << "two bytes of four";
}

TEST(Memory, OfEverySpaceIsReadByGenericAddresses) {
  Words memory(128, 0);
  const std::string tail = "ld.v2.u32 {%r2, %r3}, [%rd1+8]; st.global.v2.u32 [%b0], {%r2, %r3};";
  kernel("mov.u32 %r1, %tid.x; st.shared.v2.u32 [%rd100+8], {%r1, 4}; cvta.shared.u64 %rd1, %rd100;" + tail)
      .run(memory);
  EXPECT_EQ(memory[4 * 31], 31U);
  EXPECT_EQ(memory[4 * 31 + 1], 4U);
  PtxKernel local = kernel(
      ".local .align 16 .b8 own[16]; mov.u64 %rd1, own; mov.u32 %r1, %tid.x; st.local.v2.u32 [%rd1+8], {5, %r1};" +
      tail);
  local.run(memory);
  EXPECT_EQ(memory[4 * 31], 5U);
  EXPECT_EQ(memory[4 * 31 + 1], 31U);
  PtxKernel constant = kernel("mov.u64 %rd1, table;" + tail);
  constant.declarations += ".const .align 8 .u32 table[4] = {1, 2, 3, 8};";
  constant.run(memory);
  EXPECT_EQ(memory[0], 3U);
  EXPECT_EQ(memory[1], 8U);
}

TEST(Memory, IsUsedInItsBoundsAndAligned) {
  struct Case {
    std::string right, wrong, words;
  };
  const Case cases[] = {
      {"ld.global.u32 %r1, [%b0+12];", "ld.global.u32 %r1, [%b0+16];",
       "0 bytes behind the end of the allocation of 512"},
      {"st.global.u8 [%b0+15], %r1;", "st.global.u8 [%b0-1], %r1;", "1 bytes before the allocation of 512 bytes at 0x"},
      {"ld.global.v2.f32 {%f1, %f2}, [%b0+8];", "ld.global.v2.f32 {%f1, %f2}, [%b0+4];", "are misaligned"},
      {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%b0];", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%b0+8];",
       "misaligned"},
      {"ld.global.u16 %r1, [%b0+2];", "ld.global.u16 %r1, [%b0+1];", "2 bytes at 0x"},
      {"ld.shared.u32 %r1, [%rd100+524];", "ld.shared.u32 %r1, [%rd100+528];",
       "4 bytes at offset 1024 are out of the block's shared memory of 1024 bytes"},
      {"st.shared.u64 [%rd100+8], 1;", "st.shared.u64 [%rd100+12], 1;", "misaligned"},
      {"atom.global.add.u32 %r1, [%b0], 1;", "atom.global.add.u32 %r1, [%b0+512], 1;", "lie in no allocation"},
      {"red.global.add.u64 [%b0], 1;", "red.global.add.u64 [%b0+4], 1;", "misaligned"},
      {"ld.global.u32 %r1, [%b0];", "ld.global.u32 %r1, [8];", "4 bytes at 0x8 lie in no allocation"},
      {"ld.global.u32 %r1, [%b0];", "ld.global.b128 %rd1, [%b0];", "a type that is not emulated here: ld.global.b128"}};
  for (const Case& one : cases) {
    Words memory(128);
    EXPECT_EQ(kernel(one.right).failure(memory), "");
    const std::string found = kernel(one.right).with(one.right, one.wrong).failure(memory);
    EXPECT_TRUE(holds(found, one.words)) << one.wrong << " " << found;
  }
}

TEST(Memory, GuardZonesTellOfWritesOutsideOfAllocations) {
  const std::size_t before = allocated_bytes();
  for (const int at : {-256, -1, 10, 265}) {
    std::byte* memory = allocate(10);
    EXPECT_EQ(allocated_bytes(), before + 10);
    memory[0] = memory[9] = std::byte{1};
    EXPECT_NO_THROW(check_guard_zones());
    memory[at] = std::byte{1};
    const std::string where = at < 0 ? std::to_string(-at) + " bytes before the beginning of"
                                     : std::to_string(at - 10) + " bytes behind the end of";
    const auto failure = [&](const auto& check) -> std::string {
      try {
        check();
      } catch (const EmulationError& error) {
        return error.what();
      }
      return "";
    };
    EXPECT_TRUE(holds(failure([] { check_guard_zones(); }), where)) << at;
    EXPECT_TRUE(holds(failure([&] { release(memory); }), where)) << at;
    EXPECT_FALSE(is_allocated(reinterpret_cast<std::uint64_t>(memory), 1));
    EXPECT_NO_THROW(check_guard_zones());
    EXPECT_FALSE(release(memory));
  }
  EXPECT_EQ(allocated_bytes(), before);
}

TEST(Memory, OfOthersIsAccessibleUntilItIsForgotten) {
  const std::uint32_t variable = 6;
  const auto address = reinterpret_cast<std::uint64_t>(&variable);
  EXPECT_FALSE(is_allocated(address, 4));
  remember(&variable, 4);
  EXPECT_TRUE(is_allocated(address, 4));
  EXPECT_FALSE(is_allocated(address, 5));
  EXPECT_FALSE(is_allocated(address + 2, 4));
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
  const auto halves = [](double low, double high) { return half_bits(low) | std::uint64_t{half_bits(high)} << 16; };
  const auto bfloats = [](double low, double high) {
    return bfloat_bits(low) | std::uint64_t{bfloat_bits(high)} << 16;
  };
  const Case cases[] = {{"add.u32", 0xffffffff, 3, 2, 32},
                        {"add.u64", 0xffffffff, 3, 0x100000002, 64},
                        {"min.u32", 0xffffffff, 3, 3, 32},
                        {"min.s32", 0xffffffff, 3, 0xffffffff, 32},
                        {"max.s64", ~std::uint64_t{0}, 3, 3, 64},
                        {"max.u64", ~std::uint64_t{0}, 3, ~std::uint64_t{0}, 64},
                        {"and.b32", 12, 10, 8, 32},
                        {"or.b64", 12, 10, 14, 64},
                        {"xor.b32", 12, 10, 6, 32},
                        {"exch.b32", 12, 10, 10, 32},
                        {"inc.u32", 10, 10, 0, 32},
                        {"inc.u32", 9, 10, 10, 32},
                        {"dec.u32", 0, 10, 10, 32},
                        {"dec.u32", 11, 10, 10, 32},
                        {"dec.u32", 10, 10, 9, 32},
                        {"add.f32", f32(1.5F), f32(0.1F), f32(1.5F + 0.1F), 32},
                        {"add.f64", f64(1.5), f64(0.1), f64(1.5 + 0.1), 64},
                        {"add.noftz.f16x2", halves(1.5, -2), halves(0.25, 3), halves(1.75, 1), 32},
                        {"add.noftz.bf16x2", bfloats(1.5, -2), bfloats(0.25, 3), bfloats(1.75, 1), 32},
                        {"min.noftz.f16x2", halves(1.5, -2), halves(0.25, 3), halves(0.25, -2), 32}};
  for (const std::string space : {"global", "shared"}) {
    const std::string place = space == "global" ? "[%b0+8]" : "[%rd100+8]";
    for (const Case& one : cases) {
      std::vector<std::uint64_t> memory(64, 0);
      memory[0] = one.value;
      memory[1] = one.old;
      const bool wide = one.bits == 64;
      const std::string bits = std::to_string(one.bits), value = wide ? "%rd1" : "%r1", old = wide ? "%rd2" : "%r2";
      PtxKernel one_lane = kernel("ld.global.b" + bits + " " + value + ", [%b0]; ld.global.b64 %rd3, [%b0+8]; st." +
                                      space + ".b64 " + place + ", %rd3; atom." + space + "." + one.operation + " " +
                                      old + ", " + place + ", " + value + "; ld." + space + ".b64 %rd4, " + place +
                                      "; st.global.b64 [%b0+8], %rd4; st.global.b" + bits + " [%b0], " + old + ";",
                                  1);
      one_lane.run(memory);
      EXPECT_EQ(memory[1], one.expected) << one.operation;
      EXPECT_EQ(memory[0] & (wide ? ~0ULL : 0xffffffffULL), one.old) << one.operation << " returns what was there";
    }
  }
}

TEST(Atomics, OfManyLanesEachTakePart) {
  Words memory(128, 0);
  PtxKernel counting{
      "atom.global.add.u32 %r1, [%b0], 1; red.global.max.u32 [%b0+4], %r1;"
      "atom.relaxed.gpu.global.cas.b32 %r2, [%b0+8], 0, 5; setp.ne.u32 %p1, %r2, 0;"
      "@%p1 red.global.add.u32 [%b0+12], %r2;"
      "mov.f32 %f1, 0f3f800000; red.global.add.v2.f32 [%b0+16], {%f1, %f1};",
      "", 96};
  counting.run(memory);
  EXPECT_EQ(memory[0], 96U);
  EXPECT_EQ(memory[1], 95U);
  EXPECT_EQ(memory[2], 5U) << "the first lane swapped";
  EXPECT_EQ(memory[3], 95U * 5U) << "and the others saw its value";
  EXPECT_EQ(value_of<float>(memory[4]), 96.0F);
  EXPECT_EQ(value_of<float>(memory[5]), 96.0F);
  EXPECT_TRUE(
      holds(counting.with("add.v2.f32", "min.v2.f32").failure(memory), "an atomic operation that is not there"));
}

/// Warps read what other warps have written.
const std::string exchange =
    "mov.u32 %r1, %tid.x; st.shared.u32 [%rd100], %r1; bar.sync 0; xor.b64 %rd1, %rd100, 512;"
    "ld.shared.u32 %r2, [%rd1]; bar.sync 0; st.shared.u32 [%rd100], 1; st.global.u32 [%b0], %r2;";

TEST(Barriers, OrderWhatWarpsDoToSharedMemory) {
  for (int order = 0; order < 4; ++order) {
    Words memory(256);
    PtxKernel right = kernel(exchange, 64);
    right.warp_order = order;
    right.run(memory);
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(memory[4 * i], i ^ 32U);
    const std::string before = right.with("bar.sync 0; xor", "xor").failure(memory);
    EXPECT_TRUE(holds(before, "race in shared memory at offset ")) << before;
    EXPECT_TRUE(holds(before, "kernel kernel, block (0, 0, 0), warp ")) << before;
    const std::string behind = right.with("bar.sync 0; st", "st").failure(memory);
    EXPECT_TRUE(holds(behind, "and no barrier lies in between")) << behind;
    EXPECT_TRUE(holds(right.with("[%rd100], %r1", "[memory], %r1").failure(memory), "writes what warp"));
  }
}

TEST(Barriers, AreNotNeededBetweenAtomicOperations) {
  Words memory(256, 0);
  const PtxKernel right = kernel(
      "setp.ne.u64 %p1, %o1, 0; @!%p1 st.shared.u32 [memory], 0; bar.sync 0; red.shared.add.u32 [memory], 1; bar.sync "
      "0;"
      "ld.shared.u32 %r1, [memory]; st.global.u32 [%b0], %r1;",
      64);
  right.run(memory);
  EXPECT_EQ(memory[0], 64U);
  EXPECT_EQ(memory[4 * 63], 64U);
  const std::string found = right.with("bar.sync 0;ld", "ld").failure(memory);
  EXPECT_TRUE(holds(found, "race in shared memory at offset 0: warp 1 ")) << found;
  EXPECT_TRUE(holds(right.with("bar.sync 0; red", "red").failure(memory), "race in shared memory at offset 0"));
}

/// Warp 0 hands a number to warp 1, which spins until a flag is set.
const std::string hand_over =
    "setp.lt.u64 %p1, %o1, 32; setp.eq.u64 %p2, %o1, 0; @%p2 st.shared.u32 [memory+64], 0; bar.sync 0;"
    "@!%p1 bra take; @%p2 st.shared.u32 [memory], 77; FENCE @%p2 st.relaxed.cta.shared.u32 [memory+64], 1; bra end;"
    "take: ld.relaxed.cta.shared.u32 %r1, [memory+64]; setp.eq.u32 %p3, %r1, 0; @%p3 bra take; FENCE "
    "ld.shared.u32 %r2, [memory]; st.global.u32 [%b0], %r2; end: ret;";

TEST(Fences, WithAnAtomicFlagOrderWhatWarpsDo) {
  const PtxKernel raw = kernel(hand_over, 64);
  for (int order = 0; order < 2; ++order) {
    Words memory(256, 0);
    for (const std::string fence : {"fence.acq_rel.cta;", "membar.cta;", "fence.sc.gpu;"}) {
      PtxKernel right = raw.with("FENCE", fence);
      right.warp_order = order;
      EXPECT_EQ(right.failure(memory), "");
      EXPECT_EQ(memory[4 * 63], 77U);
    }
    PtxKernel ordered = raw.with("FENCE", "").with("st.relaxed", "st.release").with("ld.relaxed", "ld.acquire");
    ordered.warp_order = order;
    EXPECT_EQ(ordered.failure(memory), "");
    PtxKernel plain = raw.with("FENCE", "");
    plain.warp_order = order;
    EXPECT_TRUE(holds(plain.failure(memory), "warp 1 reads what warp 0 wrote"));
    const std::string flag = plain.with("st.relaxed.cta", "st").failure(memory);
    EXPECT_TRUE(holds(flag, "race in shared memory at offset 64")) << flag;
  }
}

}  // namespace
}  // namespace gable::emulated
