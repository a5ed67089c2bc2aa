#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {
namespace {

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

void expect_faults(const PtxKernel& right, const std::vector<Fault>& faults) {
  emulated::expect_faults(right, faults, numbers(512), Words(512));
}

TEST(CopyKernels, WaitAndThenMeetAtABarrier) {
  const PtxKernel right = kernel(copy + "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;" + finish);
  Words in = numbers(256), out(256);
  right.run(in, out);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(out[i], in[i ^ 128U]);
  right.with("cp.async.commit_group; cp.async.wait_group 0;", "cp.async.wait_all;").run(in, out);
  EXPECT_EQ(out[0], in[128]);
  out.assign(256, 0);
  const std::string policy = "createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0; ";
  right.with(copy, policy + "cp.async.cg.shared.global.L2::cache_hint [%r100], [%b0], 16, 16, %rd9;").run(in, out);
  EXPECT_EQ(out[0], in[128]);
  expect_faults(
      right,
      {{"cp.async.wait_group 0;", "", "what an asynchronous copy of warp 0 is still to write"},
       {"cp.async.wait_group 0;", "cp.async.wait_group 1;", "(cp.async.wait_group)"},
       {"cp.async.commit_group;", "", "what an asynchronous copy of warp 0 is still to write"},
       {"bar.sync 0;", "", "and no barrier lies in between"},
       {"cp.async.wait_group 0; bar.sync 0;", "bar.sync 0; cp.async.wait_group 0;", "is still to write"},
       {"[%b0], 16", "[%b0+4], 16", "misaligned"},
       {"[%b0], 16", "[%b0+4], 16, 8", "misaligned"},
       {"[%b0], 16", "[%b0+4], 16, 0", "misaligned"},
       {copy, "cvta.shared.u64 %rd9, memory; cp.async.cg.shared.global [%r100], [%rd9], 16;", "lie in no allocation"},
       {"cp.async.commit_group;", "cp.async.bulk.commit_group;", ".bulk is not emulated"},
       {"[%r100], [%b0], 16", "[%r100+8], [%b0], 16", "misaligned"},
       {"[%b0], 16", "[%b0+2048], 16", "bytes behind the end of the allocation of 2048 bytes"},
       {"[%b0], 16", "[%b0+1040], 16", "bytes behind the end of the allocation of 2048 bytes"},
       {"[%r100], [%b0], 16", "[%r100+8192], [%b0], 16", "are out of the block's shared memory"},
       {"[%r100], [%b0], 16", "[memory], [%b0], 16", "lanes of cp.async write to the same place"},
       {"[%b0], 16", "[%b0], 8", "a size of cp.async that is not there"},
       {"[%b0], 16", "[%b0], 16, 17", "is to read 17"},
       {"[%b0], 16;", "[%b0], 16; st.shared.u32 [%r100], 1;", "warp 0 writes what an asynchronous copy of warp 0"},
       {"cp.async.cg.shared", "cp.async.bulk.shared", ".bulk is not emulated"},
       {"cp.async.wait_group 0;", "exit;", "ends with an asynchronous copy that nobody waited for"}});
}

TEST(CopyKernels, BelongToTheGroupsOfTheirThread) {
  // Threads of odd numbers commit a group more, for which nobody waits before the end.
  const PtxKernel right =
      kernel("and.b32 %r1, %r110, 1; setp.ne.u32 %p1, %r1, 0;" + copy +
             "cp.async.commit_group;"
             "@%p1 cp.async.ca.shared.global [%r100+1024], [%b0], 4; @%p1 cp.async.commit_group; cp.async.wait_group 1;"
             "@!%p1 cp.async.wait_group 0; mov.u32 %r101, %r100;" +
             finish + "cp.async.wait_group 0;");
  Words in = numbers(256), out(256);
  right.run(in, out);
  EXPECT_EQ(out, in);
  expect_faults(right, {{"@!%p1 cp.async.wait_group 0;", "", "is still to write"}});
}

TEST(CopyKernels, WriteZerosForWhatTheyDoNotRead) {
  const std::pair<std::string, Words> cases[] = {{"16, 8;", {1000, 1001, 0, 0}},
                                                 {"16, %r110;", {0, 0, 0, 0}},
                                                 {"16, %p10;", {0, 0, 0, 0}},
                                                 {"16, %p11;", {1000, 1001, 1002, 1003}}};
  const std::string begins = "setp.ne.u32 %p11, %r110, 0; cp.async.cg.shared.global [%r100], [%b0], ";
  for (const auto& [operands, expected] : cases) {
    Words in = numbers(4), out(4);
    kernel(begins + operands + "cp.async.wait_all; mov.u32 %r101, 0;" + finish, 1).run(in, out);
    EXPECT_EQ(out, expected) << operands;
  }
  Words nothing;
  EXPECT_EQ(kernel(begins + "16, 0; cp.async.wait_all;", 1).failure(nothing, nothing), "") << "where nothing is read";
  Words in = numbers(4), out(4);
  kernel(copy + "st.global.u32 [%b0], 5; cp.async.wait_all; mov.u32 %r101, 0;" + finish, 1).run(in, out);
  EXPECT_EQ(out, (Words{5, 1001, 1002, 1003})) << "a copy reads as late as it may";
}

const std::string begin = "mov.u32 %r50, waits; @%p10 mbarrier.init.shared::cta.b64 [%r50], COUNT; bar.sync 0;";
const std::string wait_for_phase = "again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r50], 0; @!%p1 bra again;";

PtxKernel mbarrier_kernel(const std::string& statements, const std::string& count) {
  return kernel(begin + statements + finish).with("COUNT", count);
}

TEST(Mbarriers, OrderWhatArrivedBeforeAWait) {
  const std::string race = "and no barrier lies in between";
  for (int order = 0; order < 3; ++order) {
    PtxKernel right = mbarrier_kernel(
        "st.shared.v4.u32 [%r100], {%r110, %r110, 3, 4}; mbarrier.arrive.shared.b64 %rd5, [%r50];" + wait_for_phase,
        "64");
    right.warp_order = order;
    const PtxKernel generic = right.with("mbarrier.arrive.shared.b64 %rd5, [%r50]",
                                         "cvta.shared.u64 %rd6, waits; mbarrier.arrive.b64 _, [%rd6], 1");
    const PtxKernel tested = right.with("again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r50], 0",
                                        "again: mbarrier.test_wait.shared.b64 %p1, [%r50], %rd5");
    for (const PtxKernel& one : {right, generic, tested}) {
      Words in(256), out(256);
      one.run(in, out);
      for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[4 * i], i ^ 32U);
    }
    expect_faults(right, {{wait_for_phase, "", race},
                          {"@!%p1 bra again;", "", race},      // a try_wait may fail
                          {"[%r50], 0;", "[%r50], 1;", race},  // the phase before the first is complete
                          {"b64 %rd5, [%r50];", "b64 %rd5, [%r50], 65;", "more arrivals"},
                          {"64; bar.sync 0;", "64;", "mbarrier.arrive"},  // others see it behind a barrier
                          {"%rd5, [%r50];", "%rd5, [%r50]; st.shared.u32 [%r100], 1;", race},
                          {"mbarrier.arrive.shared", "mbarrier.arrive.relaxed.cta.shared", race},
                          {"try_wait.parity", "try_wait.parity.relaxed.cta", race},
                          {"st.shared.v4", "st.shared.u32 [%r50+4], 1; st.shared.v4", "are those of an mbarrier"},
                          {"[%r50], 64;", "[%r50], 0;", "cannot expect 0 arrivals"},
                          {"@%p10 mbarrier.init", "mbarrier.init", "is initialised twice"},
                          {"mbarrier.arrive.shared", "mbarrier.arrive_drop.shared", ".arrive_drop is not emulated"},
                          {"@%p10 mbarrier.init.shared::cta.b64 [%r50], 64;", "",
                           "the mbarrier at offset 4096 of shared memory is none: mbarrier.init is missing"},
                          {"mov.u32 %r50, waits;", "mov.u32 %r50, 4100;", "misaligned"}});
  }
}

TEST(Mbarriers, LetATryFailOnceAfterThePhaseIsComplete) {
  PtxKernel one_thread = mbarrier_kernel(
      "mbarrier.arrive.shared.b64 _, [%r50]; mov.u32 %r60, 0; again: add.u32 %r60, %r60, 1;"
      "mbarrier.WAIT.parity.shared::cta.b64 %p1, [%r50], 0; @!%p1 bra again; st.shared.u32 [%r101], %r60;",
      "1");
  one_thread.threads = 1;
  for (const auto& [name, times] : {std::pair{"try_wait", 2U}, {"test_wait", 1U}}) {
    Words in(4), out(4);
    one_thread.with("WAIT", name).run(in, out);
    EXPECT_EQ(out[0], times);
  }
}

TEST(Mbarriers, CountPhasesAndTransfers) {
  Words in(256), out(256);
  const PtxKernel right = mbarrier_kernel(
      "mbarrier.arrive.shared.b64 _, [%r50];" + wait_for_phase +
          "st.shared.v4.u32 [%r100], {%r110, 2, 3, 4};"
          "@%p10 mbarrier.arrive.expect_tx.shared.b64 _, [%r50], 48; @!%p10 mbarrier.arrive.shared.b64 _, [%r50];"
          "bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p2, [%r50], 1; @%p2 trap; bar.sync 0;"
          "@%p10 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r50], 48;"
          "more: mbarrier.try_wait.parity.shared.b64 %p2, [%r50], 1; @!%p2 bra more;",
      "64");
  right.run(in, out);
  EXPECT_EQ(out[0], 32U);
  const std::string arrives = "mbarrier.arrive.expect_tx.shared.b64 _, [%r50], 48;", completes = "@%p10 mbarrier.comp";
  right
      .with(arrives,
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r50], 48; @%p10 mbarrier.arrive.shared.b64 _, [%r50];")
      .run(in, out);
  EXPECT_EQ(out[0], 32U);
  expect_faults(right, {{"_, [%r50], 48", "_, [%r50], 0", "trap"},  // nothing was expected
                        {completes, "@%p10 st.shared.u32 [%r100], 9; " + completes, "race in shared memory"}});
}

}  // namespace
}  // namespace gable::emulated
