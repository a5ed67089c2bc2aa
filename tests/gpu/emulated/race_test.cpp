#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/shared_memory.hpp"
#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {
namespace {

/// The warps of a block.
struct Warps {
  SharedMemory memory{256};
  std::array<WarpClock, 3> clocks{};

  Warps() {
    for (std::size_t w = 0; w < 3; ++w) tick(w);
  }
  void tick(std::size_t warp) { ++clocks[warp].happened_before[warp]; }
  /// What is wrong with an access, empty if nothing is.
  std::string use(AccessKind kind, std::size_t warp, std::uint64_t offset, std::uint64_t bytes) {
    try {
      memory.use(kind, offset, bytes, static_cast<int>(warp), clocks[warp]);
    } catch (const EmulationError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(Races, AreFoundInTheMiddleOfALongAccess) {
  using enum AccessKind;
  for (const std::uint64_t byte : {0, 1, 15, 16, 17, 100, 254, 255}) {
    Warps warps;
    warps.use(write, 0, byte, 1);
    EXPECT_TRUE(holds(warps.use(read, 1, 0, 256), "at offset " + std::to_string(byte) + ": warp 1 reads"));
  }
}

TEST(Races, EveryReaderSinceTheLastBarrierCounts) {
  using enum AccessKind;
  for (const AccessKind kind : {read, atomic_read}) {
    for (const std::size_t reader : {0, 1}) {
      Warps warps;
      warps.use(kind, reader, 0, 4);
      warps.use(read, 1 - reader, 0, 4);
      warps.use(atomic_read, 1 - reader, 0, 4);
      EXPECT_TRUE(holds(warps.use(write, 2, 3, 1), "warp 2 writes what warp "));
      EXPECT_TRUE(holds(warps.use(write, reader, 0, 4), "what warp " + std::to_string(1 - reader)));
      EXPECT_TRUE(holds(warps.use(write, 1 - reader, 0, 4), "what warp " + std::to_string(reader)));
      EXPECT_TRUE(holds(warps.use(atomic_write, 2, 0, 4), " read, and no barrier"));
    }
  }
}

TEST(Races, OfPendingCopiesOutliveHistoriesThatAreForgotten) {
  Warps warps;
  SharedMemory few(256, 10);
  few.use(AccessKind::copy, 0, 16, 0, warps.clocks[0]);
  for (std::uint64_t i = 0; i < 20; ++i) {
    warps.tick(0);
    few.use(AccessKind::write, 16 + i, 1, 0, warps.clocks[0]);
  }
  EXPECT_THROW(few.use(AccessKind::read, 8, 4, 0, warps.clocks[0]), EmulationError);
}

/// What is wrong with two blocks of a thread that share global memory, or with two warps that share AT in shared
/// memory, of which one executes `first` and the other `second`.
std::string failure_of_two(bool blocks, const std::string& first, const std::string& second, int order = 0) {
  PtxKernel kernel{"setp.ne.u32 %p1, %laneid, 0; @%p1 exit; setp.eq.u32 %p1, WHO, 0; @%p1 bra first; " + second +
                       " exit; first: " + first + "// SPACE AT",
                   ".shared .align 16 .b8 word[32]; .shared .align 16 .b8 to[16];", blocks ? 1U : 64U,
                   blocks ? 2U : 1U};
  kernel.warp_order = order;
  std::vector<std::uint32_t> memory(8);
  return kernel.with("WHO", blocks ? "%ctaid.x" : "%warpid")
      .with("SPACE", blocks ? "global" : "shared")
      .with("AT", blocks ? "%b0" : "word")
      .failure(memory);
}

TEST(Races, OfTwoUnlessBothReadOrBothAreAtomic) {
  struct Access {
    std::string text;
    bool writes, atomic;
  };
  const Access in_both[] = {{"st.SPACE.u16 [AT+2], 1;", true, false},
                            {"ld.SPACE.v4.u32 {%r1, %r2, %r3, %r4}, [AT];", false, false},
                            {"red.SPACE.add.u32 [AT], 1;", true, true},
                            {"ld.relaxed.gpu.SPACE.u32 %r1, [AT];", false, true}};
  for (const bool blocks : {false, true}) {
    std::vector<Access> accesses(std::begin(in_both), std::end(in_both));
    const std::string copy = blocks ? "[to], [AT]" : "[AT], [%b0]", fences = "membar.gl;";
    accesses.push_back({"cp.async.ca.shared.global " + copy + ", 4; cp.async.wait_all;", !blocks, false});
    for (const Access& first : accesses) {
      for (const Access& second : accesses) {
        const bool conflict = (first.writes || second.writes) && !(first.atomic && second.atomic);
        for (const int order : {0, 1}) {
          const Access& early = order == 0 ? first : second;
          const std::string found = failure_of_two(blocks, first.text + fences, fences + second.text, order);
          const std::string who = (blocks ? "block (" : "warp ") + std::to_string(order) + (blocks ? ", 0, 0) " : " ");
          EXPECT_EQ(holds(found, blocks ? "race in global memory" : "race in shared memory"), conflict) << found;
          EXPECT_EQ(holds(found, "what " + who + (early.writes ? "wrote" : "read")), conflict) << found;
        }
      }
      EXPECT_EQ(failure_of_two(blocks, first.text, "st.SPACE.u32 [AT+16], 1;"), "") << "of other bytes";
    }
  }
}

TEST(GlobalRaces, NotOfWhatABlockHandsOver) {
  const std::string store = "st.global.u32 [%b0], 7;", fence = "membar.gl;", count = "red.global.add.u32 [%b0+4], 1;";
  const std::string ask = "atom.global.add.u32 %r2, [%b0+4], 0;", load = "ld.global.u32 %r3, [%b0];";
  EXPECT_EQ(failure_of_two(true, store + fence + count, ask + fence + load), "");
  EXPECT_EQ(failure_of_two(true, store + fence + count, ask + "fence.acq_rel.gpu;" + store), "");
  const std::pair<std::string, std::string> faults[] = {{store + count, ask + fence + load},
                                                        {store + fence + count, ask + load},
                                                        {store + fence, ask + fence + load},
                                                        {store + fence + count, fence + load},
                                                        {fence + store + count, ask + fence + load},
                                                        {store + count + fence, ask + fence + load},
                                                        {store + fence + count, fence + ask + load},
                                                        {store + "membar.cta;" + count, ask + fence + load},
                                                        {store + fence + count + store, ask + fence + load}};
  for (const auto& [first, second] : faults) {
    const std::string found = failure_of_two(true, first, second);
    EXPECT_TRUE(holds(found, "block (1, 0, 0), warp 0, ld.global.u32 %r3, [%b0]: race in global memory")) << found;
  }
}

TEST(GlobalRaces, OfAPlainReaderBehindAnAtomicOne) {
  PtxKernel kernel{
      "setp.ne.u32 %p1, %laneid, 0; @%p1 exit; setp.eq.u32 %p1, %ctaid.x, 2; @%p1 bra last; "
      "setp.eq.u32 %p1, %ctaid.x, 1; @%p1 bra plain; ld.relaxed.gpu.global.u32 %r1, [%b0]; exit; "
      "plain: ld.global.u32 %r1, [%b0]; exit; last: red.global.add.u32 [%b0], 1;",
      "", 1U, 3U};
  std::vector<std::uint32_t> memory(8);
  const std::string found = kernel.failure(memory);
  EXPECT_TRUE(holds(found, "what block (1, 0, 0) read")) << found;
}

}  // namespace
}  // namespace gable::emulated
