#include "backends/openmp/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "backends/openmp/topology.hpp"
#include "core/error.hpp"
#include "tests/unit/openmp/scratch_root.hpp"

namespace gable::openmp {
namespace {

TEST(Share, PartsCoverTheArrayWithoutGapsInWholeGrains) {
  for (const std::size_t count : {1u, 63u, 64u, 65u, 1000u, 4096u}) {
    for (const int size : {1, 2, 3, 7}) {
      std::size_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const auto share = share_of(count, rank, size);
        EXPECT_EQ(share.begin, next);
        EXPECT_TRUE(share.count == 0 || share.begin % 64 == 0) << share.begin;
        next = share.begin + share.count;
      }
      EXPECT_EQ(next, count) << count << " over " << size;
    }
  }
}

TEST(Share, PartsDifferByOneGrainAtMost) {
  for (int rank = 0; rank < 3; ++rank) {
    const auto count = share_of(64 * 100, rank, 3).count;
    EXPECT_GE(count, 64u * 33);
    EXPECT_LE(count, 64u * 34);
  }
}

TEST(Array, AlignedRandomAndRepeatable) {
  PinnedThreads pinned(select(read_topology(), Scope::node, 0).cpus);
  const std::size_t count = 300'001;
  Array one(pinned, count, 7), two(pinned, count, 7), other(pinned, count, 8);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.data()) % (2u << 20), 0u);
  EXPECT_EQ(one.size(), count);
  std::size_t equal_to_other = 0;
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_GE(one.data()[i], 0.5);
    ASSERT_LT(one.data()[i], 1.5);
    ASSERT_EQ(one.data()[i], two.data()[i]);
    equal_to_other += one.data()[i] == other.data()[i] ? 1 : 0;
    sum += one.data()[i];
  }
  EXPECT_LT(equal_to_other, count / 100);
  EXPECT_NEAR(sum / static_cast<double>(count), 1.0, 0.01) << "uniform in [0.5, 1.5)";
}

TEST(Array, MovesItsMemory) {
  PinnedThreads pinned({usable_cpus().front()});
  Array from(pinned, 128, 1);
  const auto* data = from.data();
  Array to(std::move(from));
  EXPECT_EQ(to.data(), data);
  Array third;
  third = std::move(to);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.size_bytes(), 1024u);
}

TEST(Array, MoreThanAQuarterOfTheMemoryIsRefused) {
  PinnedThreads pinned({usable_cpus().front()});
  const auto too_much = static_cast<std::size_t>(available_memory_bytes() / sizeof(double) / 2.0);
  EXPECT_THROW(Array(pinned, too_much, 1), Error);
  EXPECT_THROW(Array(pinned, 0, 1), Error);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Large blocks as the operators' arrays are, filled and freed: the second one gets pages that are there already.
TEST(KeepFreedMemory, GivesItToTheNext) {
  keep_freed_memory();
  const auto faults_of_filling = [] {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    const auto block = std::make_unique_for_overwrite<volatile char[]>(bytes);
    for (std::size_t i = 0; i < bytes; i += 4096) block[i] = 1;
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
  };
  const auto first = faults_of_filling();
  EXPECT_GE(first, 32);  // huge pages, if they are used always
  EXPECT_LT(faults_of_filling(), first / 2);
}
#endif

class FreeMemory : public ScratchRoot {};

TEST_F(FreeMemory, IsThatOfTheNodesThatMayBeUsed) {
  write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 5000 kB\nMemAvailable: 8000 kB\n");
  const std::string node = "sys/devices/system/node/node";
  write(node + "0/meminfo",
        "Node 0 MemTotal: 3000 kB\nNode 0 MemFree: 1000 kB\nNode 0 Active(file): 300 kB\n"
        "Node 0 Inactive(file): 200 kB\nNode 0 SReclaimable: 50 kB\nNode 0 AnonPages: 900 kB\n");
  write(node + "1/meminfo", "Node 1 MemTotal: 6000 kB\nNode 1 MemFree: 4000 kB\n");
  EXPECT_DOUBLE_EQ(available_memory_bytes({}, root()), 8000.0 * 1024);
  EXPECT_DOUBLE_EQ(available_memory_bytes({{0, 0, {}}}, root()), 1550.0 * 1024);
  EXPECT_DOUBLE_EQ(available_memory_bytes({{0, 0, {}}, {1, 0, {}}}, root()), 5550.0 * 1024);
  EXPECT_DOUBLE_EQ(available_memory_bytes({{0, 0, {}}, {7, 0, {}}}, root()), 8000.0 * 1024) << "a node not told of";
}

TEST_F(FreeMemory, IsThatOfTheSystemWhereTheNodesLackWhatAVirtualMachineWasNotGivenYet) {
  write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 8200 kB\nMemAvailable: 8000 kB\n");
  write("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 3000 kB\nNode 0 MemFree: 2000 kB\n");
  EXPECT_DOUBLE_EQ(available_memory_bytes({{0, 0, {}}}, root()), 8000.0 * 1024);
}

}  // namespace
}  // namespace gable::openmp
