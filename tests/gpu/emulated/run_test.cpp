#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {
namespace {

/// Each thread's %r0 goes into its own 4 bytes of the buffer, as long as the buffer has room for one block.
PtxKernel stores_r0(const std::string& statements, std::uint32_t threads = 32, const std::string& declarations = "") {
  return {"add.s64 %o4, %o4, %b0;\n" + statements + "\nst.global.u32 [%o4], %r0;", declarations, threads};
}

Words results(const PtxKernel& kernel) {
  Words out(kernel.threads);
  kernel.run(out);
  return out;
}

TEST(Run, EveryThreadKnowsItsPlace) {
  const std::vector<std::string> registers{"%ctaid.x", "%ctaid.y", "%ctaid.z",  "%tid.x",    "%tid.y",
                                           "%tid.z",   "%ntid.x",  "%nctaid.x", "%nctaid.y", "%nctaid.z",
                                           "%ntid.y",  "%ntid.z",  "%laneid",   "%warpid",   "%lanemask_lt"};
  std::string text =
      ".entry k(.param .u64 out) {\n.reg .b32 %r<9>; .reg .b64 %d<3>;\n"
      "mov.u32 %r1, %ctaid.z; mad.lo.s32 %r1, %r1, 3, %ctaid.y; mad.lo.s32 %r1, %r1, 2, %ctaid.x;\n"
      "mad.lo.s32 %r1, %r1, 2, %tid.z; mad.lo.s32 %r1, %r1, 4, %tid.y; mad.lo.s32 %r1, %r1, 5, %tid.x;\n"
      "ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 60; add.s64 %d1, %d1, %d2;\n";
  for (std::size_t i = 0; i < registers.size(); ++i) {
    text += "mov.u32 %r2, " + registers[i] + "; st.global.u32 [%d1+" + std::to_string(4 * i) + "], %r2;\n";
  }
  Module module(text + "}");
  Launch launch{module.functions.at("k").get(), {2, 3, 2}, {5, 4, 2}, {}, 0};  // 40 threads: the second warp has 8
  Words out(12 * 40 * 15);
  {
    const DeviceBuffer buffer(out, launch);
    run(launch);
  }
  for (std::uint32_t n = 0; n < 12 * 40; ++n) {
    const std::uint32_t b = n / 40, t = n % 40, lane = t % 32;
    const Words expected{b % 2, b / 2 % 3, b / 6, t % 5, t / 5 % 4, t / 20,          5, 2, 3,
                         2,     4,         2,     lane,  t / 32,    (1U << lane) - 1};
    EXPECT_EQ(Words(out.begin() + n * 15, out.begin() + (n + 1) * 15), expected) << n;
  }
}

TEST(Run, LanesPartAndMeetAgain) {
  // Lane l adds up the numbers below l; after the loop all lanes are together.
  const PtxKernel loop = stores_r0(R"(
    mov.u32 %r1, %laneid; mov.u32 %r0, 0; mov.u32 %r2, 0;
    again: setp.ge.u32 %p1, %r2, %r1; @%p1 bra out; add.u32 %r0, %r0, %r2; add.u32 %r2, %r2, 1; bra again;
    out: mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r4, %r5}, {%r4, %r5}, {%r4}, {%r4, %r5};)");
  Words expected(32);
  for (std::uint32_t l = 0; l < 32; ++l) expected[l] = l * (l - 1) / 2;
  EXPECT_EQ(results(loop), expected);
  const PtxKernel ways = stores_r0(R"(
    and.b32 %r1, %laneid, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r0, 7;
    @!%p1 bra odd; mov.u32 %r0, 10; bra end; odd: mov.u32 %r0, 20; end: @!%p1 add.u32 %r0, %r0, 1;)");
  for (std::uint32_t l = 0; l < 32; ++l) expected[l] = l % 2 == 0 ? 10 : 21;
  EXPECT_EQ(results(ways), expected);
  // Lanes that end early leave what they have not written.
  PtxKernel ends = ways.with("end:", "end: @!%p1 exit;");
  for (std::uint32_t l = 0; l < 32; ++l) expected[l] = l % 2 == 0 ? 10 : 0;
  EXPECT_EQ(results(ends), expected);
}

TEST(Run, MovesPackAndUnpack) {
  const std::vector<std::uint64_t> numbers{0x0123456789abcdef, ~std::uint64_t{0}, 0};
  const auto moved = [&](const std::string& statements, const std::string& result, int bits) {
    return in_lanes(statements, result, bits, {numbers})[0];
  };
  EXPECT_EQ(moved("mov.b64 {%r8, %r9}, %rd0;", "%r9", 32), 0x01234567U);
  EXPECT_EQ(moved("mov.b64 {_, %r9}, %rd0; mov.b64 %rd9, {%r9, %r0};", "%rd9", 64), 0x89abcdef01234567U);
  EXPECT_EQ(moved("mov.b64 {%h3, %h4, %h5, %h6}, %rd0; mov.b64 %rd9, {%h6, %h5, %h4, %h3};", "%rd9", 64),
            0xcdef89ab45670123U);
  EXPECT_EQ(moved("mov.b32 {%h3, %h4}, %r0; mov.b32 %r9, {%h4, %h3};", "%r9", 32), 0xcdef89abU);
  EXPECT_EQ(moved("mov.u32 %r9, -2; cvt.u64.u32 %rd9, %r9;", "%rd9", 64), 0xfffffffeU);
  EXPECT_EQ(moved("mov.f64 %fd9, 0d3FF0000000000000;", "%fd9", 64), 0x3ff0000000000000U);
  EXPECT_EQ(moved("", "%rd200", 64), ~std::uint64_t{0}) << "nobody has written it";
  EXPECT_EQ(moved("mov.u64 %rd1, %clock64; mov.u64 %rd2, %clock64; sub.s64 %rd3, %rd2, %rd1;", "%rd3", 64), 1U);
}

TEST(Run, AddressesTellTheirSpace) {
  const std::string declarations = ".shared .align 8 .b8 pad[24];\n.shared .align 16 .b8 memory[16];\n";
  const std::vector<std::pair<std::string, std::uint32_t>> all{
      {"cvta.shared.u64 %rd1, memory; mov.u32 %r1, 5; st.u32 [%rd1], %r1; ld.shared.u32 %r0, [memory];", 5},
      {"mov.u32 %r1, pad; cvta.shared.u64 %rd1, memory; cvta.to.shared.u64 %rd1, %rd1; cvt.u32.u64 %r0, %rd1;", 32},
      {"{ .shared .b32 pad; mov.u32 %r0, memory; st.shared.u32 [pad], 1; mov.u32 %r0, pad; }", 16},
      {"mov.u64 %rd1, own; cvta.local.u64 %rd1, %rd1; ld.u32 %r0, [%rd1];", ~0U},  // nobody has written it
      {"mov.u32 %r1, %laneid; st.local.u32 [own+4], %r1; ld.local.u32 %r0, [own+4];", 0}};
  for (const auto& [statements, result] : all) {
    EXPECT_EQ(results(stores_r0(".local .b8 own[8];\n" + statements, 1, declarations)), Words{result}) << statements;
  }
  Words lanes(32);
  std::iota(lanes.begin(), lanes.end(), 0U);  // each thread has local memory of its own
  EXPECT_EQ(results(stores_r0(".local .b8 own[8];\n" + all.back().first, 32, declarations)), lanes);
}

TEST(Run, DynamicSharedMemoryLiesBehindTheStatic) {
  PtxKernel kernel = stores_r0("mov.u32 %r1, pad; mov.u32 %r0, dynamic; st.shared.u32 [dynamic+28], %r0;", 1,
                               ".shared .b8 pad[20];\n.extern .shared .align 128 .b8 dynamic[];\n");
  kernel.dynamic_shared_bytes = 32;
  EXPECT_EQ(results(kernel), Words{128});
  Words out(1);
  EXPECT_TRUE(holds(kernel.with("+28", "+32").failure(out), "st.shared.u32 [dynamic+32], %r0"));
  kernel.declarations = ".shared .b8 pad[130];\n.extern .shared .align 128 .b8 dynamic[];\n";
  EXPECT_EQ(results(kernel), Words{384}) << "aligned as it asks for, and no better";
}

TEST(Run, BarriersWaitForTheThreadsTheyAreFor) {
  // Warp 0 waits for warp 1, which only arrives; warp 2 takes no part.
  const PtxKernel some = stores_r0(R"(.shared .u32 word; mov.u32 %r1, %warpid; mov.u32 %r0, 1;
    setp.eq.u32 %p0, %r1, 0; setp.eq.u32 %p1, %r1, 1; @%p1 st.shared.u32 [word], 5;
    @%p1 bar.arrive 3, 64; @%p0 bar.sync 3, 64; @%p0 ld.shared.u32 %r0, [word];)",
                                   96);
  Words expected(96, 1);
  std::fill(expected.begin(), expected.begin() + 32, 5);
  Words out(96);
  for (const int order : {0, 1, 2}) {
    PtxKernel kernel = some;
    kernel.warp_order = order;
    EXPECT_EQ(results(kernel), expected) << order;
  }
  const std::vector<std::pair<std::string, std::string>> faults{
      {"bar.sync 3, 96", "a barrier of 64 threads, at which others wait for 96"},
      {"bar.sync 3, 60", "no whole warps"},
      {"bar.sync 4, 64",
       "deadlock, every thread waits: 32 threads at barrier 3 for 64; 32 threads at barrier 4 for 64"},
      {"bar.sync 16, 64", "0 to 15"},
      {"bar.sync 3, 64; @%p1 st.shared.u32 [word], 6", "race in shared memory"}};
  for (const auto& [fault, words] : faults) {
    EXPECT_TRUE(holds(some.with("bar.sync 3, 64", fault).failure(out), words))
        << some.with("bar.sync 3, 64", fault).failure(out);
  }
  // Lanes of one warp at two barriers, and at one that they reach on two ways.
  const PtxKernel parted =
      stores_r0("setp.lt.u32 %p1, %laneid, 9; @%p1 bra a; bar.sync 0; bra b; a: bar.sync 0; b: mov.u32 %r0, 1;");
  EXPECT_TRUE(holds(parted.failure(out), "lanes 0 and 9 of a warp are not at the same barrier"));
  const std::string two_ways =
      "setp.lt.u32 %p1, %laneid, 9; @%p1 bra a; b: bar.sync 0; mov.u32 %r0, 1; bra c; a: bra b; c:";
  EXPECT_EQ(results(stores_r0(two_ways)), Words(32, 1));
  const PtxKernel left = stores_r0(
      "setp.lt.u32 %p1, %laneid, 16; @%p1 bra spin; bar.sync 1, 32; mov.u32 %r0, 1; bra end; spin: bra spin; end:", 64);
  EXPECT_TRUE(holds(left.failure(out), "lane 0 of warp 0 is not at the barrier at which the others wait"));
  EXPECT_TRUE(holds(stores_r0("bar.sync %laneid;").failure(out), "lanes of one warp name different barriers"));
  // Warps count whole, and use a barrier again at once; lanes may have ended, but not step over it.
  EXPECT_EQ(results(stores_r0("mov.u32 %r0, 1; bar.sync 1, 64;", 40)), Words(40, 1));
  const std::string twice = "@%p0 bar.sync 3, 64; @%p0 bar.sync 3, 64; @!%p0 bar.arrive 3, 64; @!%p0 bar.arrive 3, 64;";
  EXPECT_EQ(results(stores_r0("setp.eq.u32 %p0, %warpid, 0; mov.u32 %r0, 1;" + twice, 64)), Words(64, 1));
  const PtxKernel ended = stores_r0("mov.u32 %r0, 1; setp.lt.u32 %p1, %laneid, 9; @%p1 bra out; bar.sync 0; out:", 64);
  EXPECT_EQ(results(ended), Words(64, 1));
  EXPECT_TRUE(holds(ended.with("bra out; bar.sync 0; out:", "bar.sync 0;").failure(out), "steps over a barrier"));
  const PtxKernel late = ended.with("bar.sync 0; out:", "bar.sync 0; ld.shared.u32 %r0, [word]; exit; out: STORE")
                             .with("mov.u32 %r0, 1;", ".shared .u32 word; mov.u32 %r0, 1;");
  EXPECT_EQ(late.with("STORE", "").failure(out), "");
  EXPECT_TRUE(holds(late.with("STORE", "st.shared.u32 [word], 1;").failure(out), "race in shared memory"));
}

TEST(Run, BlocksFindSharedMemoryAndBarriersFresh) {
  PtxKernel kernel{
      ".shared .align 8 .b64 object; .shared .u32 word; mov.u32 %r1, %ctaid.x; ld.shared.u32 %r2, [word];"
      "mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %rd1, %b0; st.global.u32 [%rd1], %r2; bar.warp.sync -1;"
      "st.shared.u32 [word], 5; mul.lo.u32 %r3, %r1, 32; add.u32 %r3, %r3, 64; bar.arrive 1, %r3;"
      "setp.eq.u64 %p1, %o1, 0; mov.u32 %r4, object; @%p1 mbarrier.init.shared.b64 [%r4], 1;",
      "", 32, 2};
  Words out(2);
  kernel.run(out);
  EXPECT_EQ(out, Words(2, ~0U));
}

TEST(Run, BarriersTellWhetherAPredicateHoldsAnywhere) {
  for (const auto& [predicate, limit, any] :
       {std::tuple{"%p1", 0, 0U}, {"%p1", 40, 1}, {"!%p1", 40, 1}, {"!%p1", 64, 0}}) {
    const std::string text = "setp.lt.u32 %p1, %tid.x, " + std::to_string(limit) +
                             "; bar.sync 0; bar.red.or.pred %p2, 0, " + predicate + "; selp.u32 %r0, 1, 0, %p2;";
    EXPECT_EQ(results(stores_r0(text, 64)), Words(64, any)) << text;
  }
}

TEST(Run, WarpsTakeTurnsInTheOrderAskedFor) {
  // Each warp, or block, takes a ticket: in which order they begin.
  std::string id = "%warpid";
  const auto order = [&id](int number, std::uint32_t warps) {
    PtxKernel kernel{"setp.ne.u32 %p1, %laneid, 0; @%p1 exit; atom.global.add.u32 %r0, [%b0], 1; mul.wide.u32 %rd1, " +
                         id + ", 4; add.s64 %rd1, %rd1, %b0; st.global.u32 [%rd1+4], %r0;",
                     "", id == "%warpid" ? 32 * warps : 32, id == "%warpid" ? 1 : warps};
    kernel.warp_order = number;
    Words out(warps + 1);
    kernel.run(out);
    return Words(out.begin() + 1, out.end());
  };
  for (const std::string what : {"%warpid", "%ctaid.x"}) {
    id = what;
    EXPECT_EQ(order(0, 4), (Words{0, 1, 2, 3}));
    EXPECT_EQ(order(1, 4), (Words{3, 2, 1, 0}));
    for (const std::uint32_t warps : {4U, 5U, 7U, 32U}) {
      Words taken = order(2, warps), all(warps);
      std::iota(all.begin(), all.end(), 0U);
      EXPECT_NE(taken, all) << warps;
      std::sort(taken.begin(), taken.end());
      EXPECT_EQ(taken, all) << warps;
    }
  }
}

TEST(Run, FindsWhatKernelsMustNotDo) {
  Words out(64);
  PtxKernel waits = stores_r0("mov.u32 %r0, 0; again: setp.eq.u32 %p1, %r0, 0; @%p1 bra again;", 64);
  waits.limit = 1U << 16;
  EXPECT_TRUE(holds(waits.failure(out), "it spins: more than 65536 instructions"));
  const PtxKernel named =
      stores_r0("setp.lt.u32 %p1, %laneid, 3; @!%p1 bra end; bar.warp.sync 7; end: mov.u32 %r0, 1;");
  EXPECT_EQ(named.failure(out), "");
  const PtxKernel held = named.with("sync 7", "sync 15");
  EXPECT_EQ(held.failure(out), "") << "lane 3 ends";
  EXPECT_TRUE(holds(held.with("end:", "end: bar.warp.sync -1;").failure(out), "lane 3 is in the member mask"));
  const std::string trap = stores_r0("setp.eq.u32 %p1, %warpid, 1; @%p1 trap;", 64).failure(out);
  EXPECT_EQ(trap, "kernel kernel, block (0, 0, 0), warp 1, @%p1 trap: the kernel gives up");
  PtxKernel threads{"", "", 1025};
  EXPECT_TRUE(holds(threads.failure(), "1025 threads, not 1 to 1024"));
}

TEST(Run, WarpsThatSpinLetOthersGoOn) {
  const PtxKernel flag = stores_r0(R"(.shared .u32 word; mov.u32 %r0, 3; mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 63;
    setp.eq.u32 %p2, %warpid, 1; setp.eq.u32 %p3, %r3, 0; @%p3 st.shared.u32 [word], 0; bar.sync 0; @%p2 bra sets;
    again: atom.shared.add.u32 %r1, [word], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra again; bra end;
    sets: @%p1 atom.shared.exch.b32 %r2, [word], 1; end:)",
                                   64);
  EXPECT_EQ(results(flag), Words(64, 3));
}

}  // namespace
}  // namespace gable::emulated
