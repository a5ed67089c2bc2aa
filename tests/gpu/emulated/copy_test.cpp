#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/gpu/emulated/machine/bits.hpp"
#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {
namespace {

using Words = std::vector<std::uint32_t>;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A kernel whose thread i works at byte 16 i of its buffers and of shared memory (%r100), and reads what a thread of
/// the next warp has brought there (%r101). An mbarrier lies at `waits`.
PtxKernel kernel(const std::string& statements, std::uint32_t threads = 64) {
  return {
      "add.s64 %b0, %b0, %o16; add.s64 %b1, %b1, %o16; cvt.u32.u64 %r100, %o16; xor.b32 %r101, %r100, 512;"
      "mov.u32 %r111, memory; mov.u32 %r110, %tid.x; setp.eq.u32 %p10, %r110, 0;" +
          statements,
      ".shared .align 1024 .b8 memory[4096]; .shared .align 8 .b64 waits;", threads};
}

const std::string copy = "cp.async.cg.shared.global [%r100], [%b0], 16;";
const std::string finish =
    "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r101]; st.global.v4.u32 [%b1], {%r1, %r2, %r3, %r4};";

Words numbers(std::size_t count) {
  Words all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::uint32_t>(1000 + i);
  return all;
}

TEST(CopyKernels, WaitAndThenMeetAtABarrier) {
  const PtxKernel right = kernel(copy + "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;" + finish);
  Words in = numbers(256), out(256);
  right.run(in, out);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(out[i], in[i ^ 128U]);
  right.with("cp.async.commit_group; cp.async.wait_group 0;", "cp.async.wait_all;").run(in, out);
  EXPECT_EQ(out[0], in[128]);

  struct Fault {
    std::string from, to, words;
  };
  const Fault faults[] = {
      {"cp.async.wait_group 0;", "", "what an asynchronous copy of warp 1 is still to write"},
      {"cp.async.wait_group 0;", "cp.async.wait_group 1;", "(cp.async.wait_group)"},
      {"cp.async.commit_group;", "", "what an asynchronous copy of warp 1 is still to write"},
      {"bar.sync 0;", "", "and no barrier lies in between"},
      {"cp.async.wait_group 0; bar.sync 0;", "bar.sync 0; cp.async.wait_group 0;", "is still to write"},
      {"[%b0], 16", "[%b0+4], 16", "misaligned"},
      {"[%r100], [%b0], 16", "[%r100+8], [%b0], 16", "misaligned"},
      {"[%b0], 16", "[%b0+1024], 16", "0 bytes behind the end of the allocation of 1024 bytes"},
      {"[%r100], [%b0], 16", "[%r100+8192], [%b0], 16", "are out of the block's shared memory"},
      {"[%b0], 16", "[%b0], 8", "a size of cp.async that is not there"},
      {"[%b0], 16", "[%b0], 16, 17", "is to read 17"},
      {"[%b0], 16;", "[%b0], 16; st.shared.u32 [%r100], 1;", "warp 0 writes what an asynchronous copy of warp 0"},
      {"cp.async.cg.shared", "cp.async.bulk.shared", "cp.async.bulk is not emulated"},
      {"cp.async.wait_group 0;", "exit;", "ends with an asynchronous copy that nobody waited for"}};
  for (const Fault& fault : faults) {
    const std::string found = right.with(fault.from, fault.to).failure(in, out);
    EXPECT_TRUE(holds(found, fault.words)) << fault.to << " " << found;
  }
}

TEST(CopyKernels, WaitForTheOldestGroups) {
  const PtxKernel right =
      kernel(copy +
             "cp.async.commit_group; cp.async.ca.shared.global [%r100+1024], [%b0], 8; cp.async.commit_group;"
             "cp.async.wait_group 1; bar.sync 0;" +
             finish + "cp.async.wait_group 0;");
  Words in = numbers(256), out(256);
  right.run(in, out);
  EXPECT_EQ(out[3], in[131]);
  const std::string found = right.with("[%r101]", "[%r101+1024]").failure(in, out);
  EXPECT_TRUE(holds(found, "at offset 1536: warp 0 reads what an asynchronous copy of warp 1")) << found;
}

TEST(CopyKernels, WriteZerosForWhatTheyDoNotRead) {
  struct Case {
    std::string operands;
    std::vector<std::uint32_t> expected;
  };
  const Case cases[] = {{"16, 8;", {1000, 1001, 0, 0}},
                        {"16, 0;", {0, 0, 0, 0}},
                        {"16, %r110;", {0, 0, 0, 0}},
                        {"16, %p10;", {0, 0, 0, 0}},
                        {"16, %p11;", {1000, 1001, 1002, 1003}}};
  for (const Case& one : cases) {
    Words in = numbers(4), out(4);
    kernel("setp.ne.u32 %p11, %r110, 0; cp.async.cg.shared.global [%r100], [%b0], " + one.operands +
               "cp.async.wait_all; mov.u32 %r101, 0;" + finish,
           1)
        .run(in, out);
    EXPECT_EQ(out, one.expected) << one.operands;
  }
  Words nothing, out(4);
  EXPECT_EQ(kernel("cp.async.cg.shared.global [%r100], [%b0], 16, 0; cp.async.wait_all;", 1).failure(nothing, out), "")
      << "no memory is needed where nothing is read";
}

TEST(CopyKernels, ReadTheirSourceAsLateAsTheyMay) {
  Words in = numbers(4), out(4);
  kernel(copy + "st.global.u32 [%b0], 5; cp.async.wait_all; mov.u32 %r101, 0;" + finish, 1).run(in, out);
  EXPECT_EQ(out, (Words{5, 1001, 1002, 1003}));
}

/// 128 threads multiply a 64 x 16 matrix of ones by a 16 x 8 one.
const std::string product =
    "mov.u32 %r1, 0x3c003c00; st.shared.v4.u32 [%r100], {%r1, %r1, %r1, %r1};"
    "st.shared.v4.u32 [%r100+2048], {%r1, %r1, %r1, %r1};"
    "fence.proxy.async.shared::cta; bar.sync 0;"
    "mov.u64 %rd1, 0xc000001000000000; add.s64 %rd2, %rd1, 128; setp.ne.u32 %p1, 0, 0;"
    "wgmma.fence.sync.aligned;"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;"
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
    "st.global.v4.f32 [%b1], {%f1, %f2, %f3, %f4};";

TEST(ProxyKernels, FenceWhatWgmmaReads) {
  const PtxKernel right = kernel(product, 128);
  Words in(512), out(512);
  for (const std::string fence : {"fence.proxy.async.shared::cta; bar.sync 0;", "fence.proxy.async; bar.sync 0;",
                                  "bar.sync 0; fence.proxy.async;"}) {
    right.with("fence.proxy.async.shared::cta; bar.sync 0;", fence).run(in, out);
    for (const std::uint32_t bits : out) ASSERT_EQ(value_of<float>(bits), 16.0F) << fence;
  }
  for (const std::string fence : {"", "fence.proxy.async.global;", "fence.acq_rel.cta;", "membar.cta;"}) {
    const std::string found = right.with("fence.proxy.async.shared::cta;", fence).failure(in, out);
    EXPECT_TRUE(holds(found, "fence.proxy.async is missing: warp 0 reads offset ")) << fence << found;
  }
  EXPECT_TRUE(holds(right.with("bar.sync 0;", "").failure(in, out), "race in shared memory"));
  const PtxKernel late = right.with("bar.sync 0;", "bar.sync 0; st.shared.u32 [%r100], %r1; bar.sync 0;");
  EXPECT_TRUE(holds(late.failure(in, out), "fence.proxy.async is missing")) << "a write behind the fence";
  const PtxKernel copied =
      right.with("[%r100+2048], {%r1, %r1, %r1, %r1};",
                 "[%r100+2048], {%r1, %r1, %r1, %r1}; cp.async.ca.shared.global [%r100], [%b0], 4; cp.async.wait_all;");
  in.assign(512, 0x3c003c00U);
  copied.run(in, out);
  EXPECT_EQ(value_of<float>(out[0]), 16.0F);
  const PtxKernel copied_late =
      copied.with("cp.async.wait_all;", "").with("bar.sync 0;", "cp.async.wait_all; bar.sync 0;");
  EXPECT_TRUE(holds(copied_late.failure(in, out), "fence.proxy.async is missing")) << "a copy that lands behind it";
}

const std::string begin = "mov.u32 %r50, waits; @%p10 mbarrier.init.shared::cta.b64 [%r50], COUNT; bar.sync 0;";
const std::string wait = "again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r50], 0; @!%p1 bra again;";

PtxKernel mbarrier_kernel(const std::string& statements, const std::string& count) {
  return kernel(begin + statements + finish).with("COUNT", count);
}

TEST(Mbarriers, OrderWhatArrivedBeforeAWait) {
  const std::string fill = "st.shared.v4.u32 [%r100], {%r110, %r110, 3, 4}; mbarrier.arrive.shared.b64 %rd5, [%r50];";
  for (int order = 0; order < 3; ++order) {
    Words in(256), out(256);
    PtxKernel right = mbarrier_kernel(fill + wait, "64");
    right.warp_order = order;
    EXPECT_EQ(right.failure(in, out), "");
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[4 * i], i ^ 32U);

    const PtxKernel generic = right.with("mbarrier.arrive.shared.b64 %rd5, [%r50]",
                                         "cvta.shared.u64 %rd6, waits; mbarrier.arrive.b64 _, [%rd6], 1");
    EXPECT_EQ(generic.failure(in, out), "");
    PtxKernel tested = right.with("again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r50], 0",
                                  "again: mbarrier.test_wait.shared.b64 %p1, [%r50], %rd5");
    EXPECT_EQ(tested.failure(in, out), "");
    EXPECT_TRUE(holds(right.with(wait, "").failure(in, out), "and no barrier lies in between"));
    EXPECT_TRUE(holds(right.with("@!%p1 bra again;", "").failure(in, out), "and no barrier lies in between"))
        << "a try_wait may fail";
    EXPECT_TRUE(holds(right.with("[%r50], 0;", "[%r50], 1;").failure(in, out), "and no barrier lies in between"))
        << "the phase before the first is complete";
    EXPECT_TRUE(holds(right.with("b64 %rd5, [%r50];", "b64 %rd5, [%r50], 65;").failure(in, out), "more arrivals"));
    EXPECT_TRUE(holds(right.with("@%p10 mbarrier.init.shared::cta.b64 [%r50], 64;", "").failure(in, out),
                      "the mbarrier at offset 4096 of shared memory is none: mbarrier.init is missing"));
    EXPECT_FALSE(right.with("64; bar.sync 0;", "64;").failure(in, out).empty()) << "others see it behind a barrier";
    EXPECT_TRUE(holds(right.with("@%p10 mbarrier.init", "mbarrier.init").failure(in, out), "is initialised twice"));
  }
}

TEST(Mbarriers, LetATryFailOnceAfterThePhaseIsComplete) {
  Words in(4), out(4);
  PtxKernel one_thread = mbarrier_kernel(
      "mov.u32 %r60, 0; mbarrier.arrive.shared.b64 _, [%r50]; again: add.u32 %r60, %r60, 1;"
      "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r50], 0; @!%p1 bra again;"
      "st.shared.v4.u32 [%r101], {%r60, 0, 0, 0};",
      "1");
  one_thread.threads = 1;
  one_thread.run(in, out);
  EXPECT_EQ(out[0], 2U);
  one_thread.with("try_wait", "test_wait").run(in, out);
  EXPECT_EQ(out[0], 1U);
}

TEST(Mbarriers, CountPhasesAndTransfers) {
  Words in(256), out(256);
  const std::string phases =
      "mbarrier.arrive.shared.b64 _, [%r50];" + wait +
      "st.shared.v4.u32 [%r100], {%r110, 2, 3, 4};"
      "@%p10 mbarrier.arrive.expect_tx.shared.b64 _, [%r50], 48; @!%p10 mbarrier.arrive.shared.b64 _, [%r50];"
      "bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p2, [%r50], 1; @%p2 trap; bar.sync 0;"
      "@%p10 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r50], 48;"
      "more: mbarrier.try_wait.parity.shared.b64 %p2, [%r50], 1; @!%p2 bra more;";
  const PtxKernel right = mbarrier_kernel(phases, "64");
  EXPECT_EQ(right.failure(in, out), "");
  EXPECT_EQ(out[0], 32U);
  EXPECT_TRUE(holds(right.with("_, [%r50], 48", "_, [%r50], 0").failure(in, out), "trap")) << "nothing was expected";
}

TEST(Mbarriers, ArriveWhenCopiesHaveLanded) {
  Words in = numbers(256), out(256);
  const PtxKernel right = mbarrier_kernel(copy + "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r50];" + wait, "64");
  EXPECT_EQ(right.failure(in, out), "");
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(out[i], in[i ^ 128U]);
  EXPECT_TRUE(holds(right.with(wait, "").with("[%r101]", "[%r100]").failure(in, out), "is still to write"));
  const PtxKernel counted =
      right.with(".noinc.shared::cta.b64 [%r50];", ".shared.b64 [%r50]; mbarrier.arrive.shared.b64 _, [%r50];");
  out.assign(256, 0);
  EXPECT_EQ(counted.failure(in, out), "");
  EXPECT_EQ(out[0], in[128]);
}

}  // namespace
}  // namespace gable::emulated
