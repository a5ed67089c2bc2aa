#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/shared_memory.hpp"

namespace gable::emulated {
namespace {

/// The warps of a block: their clocks, and what synchronises them.
struct Warps {
  SharedMemory memory{256};
  std::array<WarpClock, 3> clocks{};

  Warps() {
    for (int w = 0; w < 3; ++w) tick(w);
  }
  void tick(int warp) { ++clocks[static_cast<std::size_t>(warp)].happened_before[static_cast<std::size_t>(warp)]; }
  void barrier() {
    WarpClock all;
    for (const WarpClock& one : clocks) all.join(one);
    for (int w = 0; w < 3; ++w) {
      clocks[static_cast<std::size_t>(w)].join(all);
      tick(w);
    }
  }
  void fence(int warp) {
    WarpClock& clock = clocks[static_cast<std::size_t>(warp)];
    clock.fenced = clock.happened_before;
    tick(warp);
  }
  using Use = std::function<void(SharedMemory&, std::uint64_t, std::uint64_t, int, const WarpClock&)>;
  void use(const Use& how, int warp, std::uint64_t offset, std::uint64_t bytes) {
    how(memory, offset, bytes, warp, clocks[static_cast<std::size_t>(warp)]);
  }
};

using Kind = MemoryAccess::Kind;
Warps::Use use_of(Kind kind) {
  return [kind](SharedMemory& memory, std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock) {
    memory.use(kind, offset, bytes, warp, clock);
  };
}
const Warps::Use read = use_of(Kind::read), write = use_of(Kind::write), change = use_of(Kind::atomic_write),
                 atomic_read = use_of(Kind::atomic_read), begin_copy = use_of(Kind::copy),
                 end_copy = &SharedMemory::end_copy, by_proxy = &SharedMemory::read_by_proxy;

std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const EmulationError& error) {
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Pair {
  Warps::Use first, second;
  std::string words;  ///< of the failure where no barrier lies in between; empty where there is none
};

TEST(Races, TwoWarpsNeedABarrierUnlessBothReadOrBothAreAtomic) {
  const Pair pairs[] = {{write, read, "warp 1 reads what warp 0 wrote, and no barrier"},
                        {read, write, "warp 1 writes what warp 0 read, and no barrier"},
                        {write, write, "warp 1 writes what warp 0 wrote, and no barrier"},
                        {change, read, "warp 1 reads what warp 0 wrote atomically"},
                        {change, write, "warp 1 writes what warp 0 wrote atomically"},
                        {read, change, "warp 1 writes atomically what warp 0 read"},
                        {write, change, "warp 1 writes atomically what warp 0 wrote"},
                        {write, atomic_read, "warp 1 reads atomically what warp 0 wrote"},
                        {atomic_read, write, "warp 1 writes what warp 0 read atomically"},
                        {write, begin_copy, "warp 1 copies into what warp 0 wrote"},
                        {read, begin_copy, "warp 1 copies into what warp 0 read"},
                        {read, read, ""},
                        {change, change, ""},
                        {change, atomic_read, ""},
                        {atomic_read, change, ""},
                        {atomic_read, read, ""},
                        {read, atomic_read, ""}};
  for (const Pair& pair : pairs) {
    Warps without, with, same;
    without.use(pair.first, 0, 64, 16);
    const std::string found = failure([&] { without.use(pair.second, 1, 76, 8); });
    EXPECT_EQ(found.empty(), pair.words.empty()) << pair.words << found;
    EXPECT_TRUE(holds(found, pair.words)) << found;
    EXPECT_TRUE(pair.words.empty() || holds(found, "at offset 76")) << found;

    with.use(pair.first, 0, 64, 16);
    with.barrier();
    EXPECT_EQ(failure([&] { with.use(pair.second, 1, 76, 8); }), "") << pair.words;

    same.use(pair.first, 0, 64, 16);
    EXPECT_EQ(failure([&] { same.use(pair.second, 0, 76, 8); }), "") << "of one warp";
    EXPECT_EQ(failure([&] { same.use(pair.second, 1, 96, 8); }), "") << "of other bytes";
  }
}

TEST(Races, EveryReaderSinceTheLastBarrierCounts) {
  for (int reader = 0; reader < 2; ++reader) {
    Warps warps;
    warps.use(read, reader, 0, 4);
    warps.use(read, 1 - reader, 0, 4);
    EXPECT_TRUE(holds(failure([&] { warps.use(write, 2, 3, 1); }), "warp 2 writes what warp "));
    EXPECT_TRUE(holds(failure([&] { warps.use(write, reader, 0, 4); }), "what warp " + std::to_string(1 - reader)));
  }
}

TEST(Races, AWarpThatWasNotAtTheBarrierIsNotOrderedByIt) {
  Warps warps;
  warps.use(write, 0, 0, 4);
  warps.clocks[1].join(warps.clocks[0]);  // a barrier of warps 0 and 1
  warps.tick(0);
  warps.tick(1);
  EXPECT_EQ(failure([&] { warps.use(read, 1, 0, 4); }), "");
  EXPECT_TRUE(holds(failure([&] { warps.use(read, 2, 0, 4); }), "warp 2 reads what warp 0 wrote"));
  warps.use(write, 0, 8, 4);
  EXPECT_TRUE(holds(failure([&] { warps.use(read, 1, 8, 4); }), "warp 1 reads what warp 0 wrote"));
}

TEST(Races, AnAtomicReadByOthersIsRememberedBesideAPlainRead) {
  Warps warps;
  warps.use(atomic_read, 0, 0, 4);
  warps.use(read, 1, 0, 4);
  warps.use(atomic_read, 1, 0, 4);
  EXPECT_TRUE(holds(failure([&] { warps.use(change, 2, 0, 4); }), "warp 2 writes atomically what warp 1 read"));
  EXPECT_TRUE(holds(failure([&] { warps.use(write, 1, 0, 4); }), "what warp 0 read atomically"));
}

TEST(Copies, NobodyTouchesTheMemoryBeforeTheyHaveLanded) {
  for (const auto& how : {read, write, change, atomic_read, begin_copy, by_proxy}) {
    for (int warp = 0; warp < 2; ++warp) {
      Warps warps;
      warps.use(begin_copy, 0, 16, 16);
      warps.barrier();
      const std::string found = failure([&] { warps.use(how, warp, 24, 4); });
      EXPECT_TRUE(holds(found, "what an asynchronous copy of warp 0 is still to write")) << found;
      EXPECT_EQ(failure([&] { warps.use(how, warp, 32, 4); }), "");
    }
  }
}

TEST(Copies, OtherWarpsReadBehindABarrierAfterTheyHaveLanded) {
  Warps warps;
  warps.use(begin_copy, 0, 16, 16);
  warps.barrier();
  warps.use(end_copy, 0, 16, 16);
  EXPECT_EQ(failure([&] { warps.use(read, 0, 16, 16); }), "");
  EXPECT_TRUE(holds(failure([&] { warps.use(read, 1, 16, 16); }), "warp 1 reads what warp 0 wrote"));
  warps.barrier();
  EXPECT_EQ(failure([&] { warps.use(read, 1, 16, 16); }), "");
}

TEST(Proxy, WhatWasWrittenIsFencedBeforeItIsReadThroughTheAsynchronousProxy) {
  for (const int fencing : {0, 1}) {  // the writer before the barrier, or the reader behind it
    Warps warps;
    warps.use(write, 0, 0, 16);
    if (fencing == 0) warps.fence(0);
    warps.barrier();
    if (fencing == 1) warps.fence(1);
    EXPECT_EQ(failure([&] { warps.use(by_proxy, 1, 0, 16); }), "");
    EXPECT_EQ(failure([&] { warps.use(by_proxy, 1, 32, 16); }), "") << "what nobody wrote";
  }
  Warps warps;
  warps.fence(0);
  warps.use(write, 0, 0, 16);
  const std::string own = failure([&] { warps.use(by_proxy, 0, 8, 4); });
  EXPECT_TRUE(holds(own, "fence.proxy.async is missing: warp 0 reads offset 8")) << own;
  warps.barrier();
  const std::string found = failure([&] { warps.use(by_proxy, 1, 8, 4); });
  EXPECT_TRUE(holds(found, "fence.proxy.async is missing: warp 1 reads offset 8")) << found;
  warps.fence(1);
  EXPECT_TRUE(holds(failure([&] { warps.use(by_proxy, 2, 8, 4); }), "is missing")) << "another warp's fence";
}

TEST(Proxy, ItsReadsAreReads) {
  Warps warps;
  warps.use(by_proxy, 0, 0, 16);
  EXPECT_TRUE(holds(failure([&] { warps.use(write, 1, 0, 4); }), "warp 1 writes what warp 0 read"));
  warps.barrier();
  EXPECT_EQ(failure([&] { warps.use(write, 1, 0, 4); }), "");
  warps.fence(1);
  EXPECT_TRUE(holds(failure([&] { warps.use(by_proxy, 0, 0, 4); }), "and no barrier")) << "a fence is no barrier";
}

TEST(SharedMemory, HasItsSizeAndIsFreshAfterReset) {
  Warps warps;
  EXPECT_EQ(failure([&] { warps.use(write, 0, 252, 4); }), "");
  const std::string beyond = failure([&] { warps.use(read, 0, 252, 8); });
  EXPECT_TRUE(holds(beyond, "8 bytes at offset 252 are out of the block's shared memory of 256 bytes")) << beyond;
  EXPECT_FALSE(failure([&] { warps.use(read, 0, ~std::uint64_t{0}, 8); }).empty());
  warps.memory.data()[252] = std::byte{1};
  warps.memory.reset();
  EXPECT_EQ(warps.memory.data()[252], std::byte{0xff});
  EXPECT_EQ(failure([&] { warps.use(write, 1, 252, 4); }), "") << "who wrote it before is forgotten";
}

}  // namespace
}  // namespace gable::emulated
