#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/shared_memory.hpp"
#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {
namespace {

using enum AccessKind;

/// The warps of a block: their clocks, and what synchronises them.
struct Warps {
  SharedMemory memory{256};
  std::array<WarpClock, 3> clocks{};

  Warps() {
    for (std::size_t w = 0; w < 3; ++w) tick(w);
  }
  void tick(std::size_t warp) { ++clocks[warp].happened_before[warp]; }
  void barrier(std::size_t warps = 3) {
    WarpClock all;
    for (std::size_t w = 0; w < warps; ++w) all.join(clocks[w]);
    for (std::size_t w = 0; w < warps; ++w) {
      clocks[w].join(all);
      tick(w);
    }
  }
  void fence(std::size_t warp) {
    clocks[warp].fenced = clocks[warp].happened_before;
    tick(warp);
  }
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

TEST(Races, TwoWarpsNeedABarrierUnlessBothReadOrBothAreAtomic) {
  struct Kind {
    AccessKind kind;
    bool writes, atomic;
    std::string present, past;
  };
  const Kind kinds[] = {
      {write, true, false, "writes", "wrote"},     {atomic_write, true, true, "writes atomically", "wrote atomically"},
      {read, false, false, "reads", "read"},       {atomic_read, false, true, "reads atomically", "read atomically"},
      {proxy_read, false, false, "reads", "read"}, {copy, true, false, "copies into", ""}};
  for (const Kind& first : kinds) {
    for (const Kind& second : kinds) {
      if (first.kind == copy) continue;
      const bool conflict = (first.writes || second.writes) && !(first.atomic && second.atomic);
      const std::string words = "race in shared memory at offset 108: warp 1 " + second.present + " what warp 0 " +
                                first.past + ", and no barrier lies in between";
      Warps without, same, with;
      for (Warps* warps : {&without, &same, &with}) {
        EXPECT_EQ(warps->use(first.kind, 0, 64, 48), "");
        warps->fence(0);
      }
      EXPECT_EQ(without.use(second.kind, 1, 112, 8) + without.use(second.kind, 1, 56, 8), "") << "of other bytes";
      EXPECT_EQ(without.use(second.kind, 1, 108, 24), conflict ? words : "");
      EXPECT_EQ(same.use(second.kind, 0, 108, 24), "") << "of one warp: " << words;
      with.barrier();
      EXPECT_EQ(with.use(second.kind, 1, 108, 24), "") << words;
    }
  }
}

TEST(Races, AreFoundInTheMiddleOfALongAccess) {
  for (const std::uint64_t byte : {0, 1, 15, 16, 17, 100, 254, 255}) {
    Warps warps;
    warps.use(write, 0, byte, 1);
    EXPECT_TRUE(holds(warps.use(read, 1, 0, 256), "at offset " + std::to_string(byte) + ": warp 1 reads"));
  }
}

TEST(Races, EveryReaderSinceTheLastBarrierCounts) {
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

TEST(Races, AWarpThatWasNotAtTheBarrierIsNotOrderedByIt) {
  Warps warps;
  warps.use(write, 0, 0, 4);
  warps.barrier(2);
  EXPECT_EQ(warps.use(read, 1, 0, 4), "");
  EXPECT_TRUE(holds(warps.use(read, 2, 0, 4), "warp 2 reads what warp 0 wrote"));
  warps.use(write, 0, 8, 4);
  EXPECT_TRUE(holds(warps.use(read, 1, 8, 4), "warp 1 reads what warp 0 wrote"));
}

TEST(Races, NobodyTouchesWhatACopyIsStillToWrite) {
  for (const auto kind : {read, write, atomic_write, atomic_read, copy, proxy_read}) {
    for (const std::size_t warp : {0, 1}) {
      Warps warps;
      warps.use(copy, 0, 16, 16);
      warps.barrier();
      const std::string found = warps.use(kind, warp, 24, 4);
      EXPECT_TRUE(holds(found, "what an asynchronous copy of warp 0 is still to write")) << found;
      EXPECT_EQ(warps.use(kind, warp, 32, 4), "");
      EXPECT_EQ(warps.use(landing, 0, 16, 16), "");
      EXPECT_EQ(warps.use(read, 0, 16, 16), "");
      EXPECT_TRUE(holds(warps.use(read, 1, 16, 16), "warp 1 reads what warp 0 wrote"));
      warps.barrier();
      EXPECT_EQ(warps.use(read, 1, 16, 16), "");
    }
  }
}

TEST(Races, WhatWasWrittenIsFencedBeforeItIsReadThroughTheAsynchronousProxy) {
  for (const AccessKind kind : {write, atomic_write, landing}) {
    for (const std::size_t fencing : {0, 1}) {  // the writer before the barrier, or the reader behind it
      Warps warps;
      warps.fence(0);
      warps.use(kind, 0, 0, 16);
      EXPECT_TRUE(holds(warps.use(proxy_read, 0, 8, 4), "fence.proxy.async is missing at offset 8: warp 0 reads what"));
      if (fencing == 0) warps.fence(0);
      warps.barrier();
      if (fencing == 1) {
        EXPECT_TRUE(holds(warps.use(proxy_read, 1, 8, 4), "fence.proxy.async is missing at offset 8: warp 1 reads"));
        warps.fence(1);
      }
      EXPECT_EQ(warps.use(proxy_read, 1, 0, 32), "");
      EXPECT_EQ(warps.use(proxy_read, 2, 0, 16).empty(), fencing == 0) << "the fence of another reader";
    }
  }
}

TEST(Races, OfPendingCopiesOutliveHistoriesThatAreForgotten) {
  Warps warps;
  SharedMemory few(256, 10);
  few.use(copy, 0, 16, 0, warps.clocks[0]);
  for (std::uint64_t i = 0; i < 20; ++i) {
    warps.tick(0);
    few.use(write, 16 + i, 1, 0, warps.clocks[0]);
  }
  EXPECT_THROW(few.use(read, 8, 4, 0, warps.clocks[0]), EmulationError);
}

TEST(SharedMemory, HasItsSizeAndIsFreshAfterReset) {
  Warps warps;
  EXPECT_EQ(warps.use(write, 0, 252, 4), "");
  const std::string beyond = warps.use(read, 0, 252, 8);
  EXPECT_TRUE(holds(beyond, "bytes from offset 256 on are out of the block's shared memory of 256 bytes")) << beyond;
  EXPECT_TRUE(holds(warps.use(read, 0, ~std::uint64_t{0}, 8), "are out of"));
  warps.memory.data()[252] = std::byte{1};
  warps.memory.reset();
  EXPECT_EQ(warps.memory.data()[252], std::byte{0xff});
  EXPECT_EQ(warps.use(write, 1, 252, 4), "") << "who wrote it before is forgotten";
}

}  // namespace
}  // namespace gable::emulated
